"""A user's own files: an edit is seen, a file that was missing is found later, equal names are no equal files."""

from __future__ import annotations

import polars as pl
from tests.helpers.clone import Clone

TABLE = "results/datasets/{run}/core_networks__nets/all.parquet"
COLUMNS = {"item": "name", "url": "file"}


def config(folder: str, run: str) -> dict:
    manifest = {
        "path": f"{folder}/mine.tsv",
        "release": "mine",
        "columns": COLUMNS,
        "defaults": {"format": "edgelist"},
    }
    return {
        "run": run,
        "targets": [],
        "sources": {"networks": {"manifests": [], "buckets": 1}},
        "manifests": {"networks": manifest},
    }


def path_of(n: int) -> str:
    return "".join(f"{k} {k + 1}\n" for k in range(n - 1))


def sizes(clone: Clone, run: str = "one") -> dict[str, int]:
    clone.snakemake("--", TABLE.format(run=run))
    assert clone.planned("--", TABLE.format(run=run)) == []
    return dict(pl.read_parquet(clone.path / TABLE.format(run=run)).select("net_id", "n").iter_rows())


def test_what_is_published_is_what_the_files_hold_today(fresh: Clone):
    for folder in ("a", "b"):
        (fresh.path / folder).mkdir()
        (fresh.path / folder / "mine.tsv").write_text("name\tfile\nring\tring.txt\nlate\tlate.txt\n")
    (fresh.path / "a/ring.txt").write_text(path_of(5))
    fresh.configure(config("a", "one"))
    assert sizes(fresh) == {"ring": 5}

    (fresh.path / "a/ring.txt").write_text(path_of(7))
    assert sizes(fresh) == {"ring": 7}

    (fresh.path / "a/late.txt").write_text(path_of(4))
    assert sizes(fresh) == {"ring": 7, "late": 4}

    (fresh.path / "b/ring.txt").write_text(path_of(9))
    fresh.configure(config("b", "two"))
    assert sizes(fresh, "two") == {"ring": 9}
    fresh.configure(config("a", "one"))
    assert sizes(fresh) == {"ring": 7, "late": 4}
