"""The one adapter between Snakemake and the package: hands a rule's files and parameters to `params.entry`."""

import os
import sys
import time
from pathlib import Path

started = time.time()
smk = snakemake  # noqa: F821  (injected by Snakemake)
root = Path(smk.config.get("root", "results"))
os.environ.setdefault("NUMBA_CACHE_DIR", str(root / "cache" / "numba"))
os.environ.setdefault("POLARS_MAX_THREADS", str(smk.threads))
os.environ.setdefault("MPLCONFIGDIR", str(Path(smk.resources.tmpdir) / "matplotlib"))

from seedlot.store.job import Job  # noqa: E402  (thread and cache variables come first)
from seedlot.store.runner import main  # noqa: E402


def as_paths(value):
    """One path, or a list of them where the rule gave several files under one name."""
    return Path(value) if isinstance(value, str) else [Path(v) for v in value]


DIGESTS = {"entry", "code", "schema", "checks", "told", "claims"}  # why a job reruns, not what it works with
params = {name: value for name, value in smk.params.items() if name not in DIGESTS}
if "rows" in params:
    from seedlot.workflow.core import Workflow

    flow = Workflow(smk.config)
    params |= {"source": params["rows"], "rows": flow.job_rows(params["rows"], dict(smk.wildcards.items()))}
    params |= {
        "offline": flow.config.offline,
        "mirrors": flow.config.mirrors,
        "wheels_dir": str(flow.config.wheels),
    }
runtime = smk.resources.get("runtime")
job = Job(
    rule=smk.rule,
    input={name: as_paths(value) for name, value in smk.input.items()},
    output={name: Path(str(value)) for name, value in smk.output.items()},
    params=params,
    threads=smk.threads,
    root=root,
    log=Path(smk.log[0]) if smk.log else None,
    deadline=started + 60 * runtime if runtime else None,
    tmpdir=Path(smk.resources.tmpdir),
    code=smk.params.get("code", ""),
)
sys.exit(main(job, smk.params.entry))
