"""Writing, checking and hashing a table take memory by configuration, not by the number of rows."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.soak
ROWS = 40_000_000 if os.environ.get("SEEDLOT_SOAK") else 1_000_000

CODE = """
    import resource, sys
    import numpy as np
    import pyarrow as pa
    from pathlib import Path
    from seedlot.contracts import check, model
    from seedlot.store import lot, parquet

    rows, folder = int(sys.argv[1]), Path(sys.argv[2])
    step = 20_000
    parquet.GROUP_ROWS = lot.WINDOW_ROWS = check.BATCH_ROWS = 2 * step
    promised = model.load_contract(folder / "core_big__rows.yaml")
    schema = promised.arrow_schema()

    def batches(count):
        for start in range(0, count, step):
            at = np.arange(start, start + step)
            text = pa.array([f"{i:0100d}" for i in at])
            yield pa.record_batch({"name": text, "at": pa.array(at), "x": pa.array(np.sin(at))})

    def everything(count):
        path = folder / "b0.parquet"
        parquet.write_table(path, batches(count), schema, promised.key)
        found = check.check_file(promised, path)
        assert sum(r["violations"] for r in found) == count // 2
        assert lot.scan_table([path], promised.id, schema, promised.key).rows == count

    everything(10 * step)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    everything(rows)
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""
CONTRACT = """
name: core_big__rows
version: 1.0.0
title: Many rows
description: Rows.
unit_of_observation: one row
key: [name]
columns:
  - {name: name, type: string, description: "Name."}
  - {name: at, type: int64, description: "Number.", min: 0}
  - {name: x, type: float64, description: "Sine."}
checks:
  - {name: even, expr: "at % 2 = 0"}
"""


@pytest.mark.parametrize("rows", [ROWS])
def test_ten_times_the_rows_do_not_take_more_memory(tmp_path, rows):
    (tmp_path / "core_big__rows.yaml").write_text(CONTRACT)
    source = str(Path(__file__).resolve().parents[3] / "src")
    env = os.environ | {
        "PYTHONPATH": source,
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        "POLARS_MAX_THREADS": "2",
    }
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(CODE), str(rows), str(tmp_path)],
        capture_output=True, text=True, env=env,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    raw = rows * 120 / 2**20
    assert float(done.stdout) < min(60, raw / 2), (
        f"peak memory grew by {done.stdout} MiB for {raw:.0f} MiB of rows"
    )
