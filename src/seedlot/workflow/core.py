"""`W` in the rule files: paths, shards, digests and the register of products. No heavy import, no Snakemake.

Parsing builds one Workflow from the config; a job builds one only to expand its manifest rows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from seedlot.catalog import manifest as mf
from seedlot.catalog.buckets import shards as split_into_shards
from seedlot.catalog.receipts import receipt_path
from seedlot.config import base
from seedlot.config.errors import SeedlotError, unknown
from seedlot.contracts.model import contract
from seedlot.store import lock
from seedlot.store.code import PACKAGE, code_digest
from seedlot.workflow.model import config_model, plugins
from seedlot.workflow.products import Products

MANIFESTS = Path("resources/manifests")
SINGULAR = {"sources": "source", "studies": "study"}


def digest_of(value: Any) -> str:
    """12 hex digits of a plain value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:12]


class Workflow(Products):
    """The configured workflow."""

    def __init__(self, config: Mapping[str, Any]):
        super().__init__()
        self.config = base.load(config_model(), config)
        for key, names, kind in (
            ("targets", self.config.targets, "studies"),
            ("manifests", self.config.manifests, "sources"),
        ):
            for name in names:
                if name not in plugins(kind):
                    raise unknown(SINGULAR[kind], name, plugins(kind), where=f"config key '{key}'")
        self.run, self.root = self.config.run, self.config.root
        self._shards: dict[str, dict[str, list[mf.Row]]] = {}

    @cached_property
    def paths(self) -> dict[str, str]:
        """Snakemake's pathvars."""
        root = self.root.as_posix()
        return {
            "raw": f"{root}/raw",
            "ds": f"{root}/datasets/{self.run}",
            "work": f"{root}/datasets/{self.run}/_work",
            "study": f"{root}/studies/{self.run}",
            "fig": f"{root}/figures/{self.run}",
            "log": f"{root}/logs/{self.run}",
            "bench": f"{root}/benchmarks/{self.run}",
            "report": f"{root}/report/{self.run}",
        }

    @staticmethod
    def refuse_other_clone(folder: str) -> None:
        """Raise SeedlotError when the imported package is not the one of the clone whose Snakefile runs."""
        own = Path(folder).resolve() / "src" / "seedlot"
        if own.is_dir() and own != PACKAGE:
            raise SeedlotError(
                f"this Snakefile belongs to {own.parents[1]}, the imported package to {PACKAGE.parents[1]}",
                todo="run `make env` in this clone and use its .venv/bin/snakemake",
            )

    def lock(self) -> None:
        """Take the results root for this process (raises SeedlotError when a living one holds it)."""
        lock.acquire(self.root)

    def unlock(self) -> None:
        """Give the results root back."""
        lock.release(self.root)

    # -- digests carried in params ---------------------------------------------------------------------
    def code(self, entry: str, *more: str) -> Callable[..., str]:
        """Parameter value: code digest of an entry and of plug-in modules; names may hold '{wildcards}'."""
        return lambda wildcards: self._code(*(n.format(**dict(wildcards.items())) for n in (entry, *more)))

    def code_of_rows(self, source: str, entry: str) -> Callable[..., str]:
        """Parameter value: code digest of an entry and of the plug-in modules of the rows of `wildcards.shard`."""
        return lambda wildcards: self._code(entry, *self.row_modules(source, wildcards.shard))

    def row_modules(self, source: str, shard: str) -> list[str]:
        """Plug-in modules that the source's settings name for the rows of a shard, sorted."""
        settings = getattr(self.config.sources, source)
        names = {settings.module_of_row(row.extra) for row in self.shards(source)[shard]}
        return sorted(name for name in names if name)

    def _code(self, entry: str, *more: str) -> str:
        return code_digest(entry, more, str(self.root / "cache" / "code.json"))

    def schema(self, *tables: str) -> str:
        """Digest of the schema parts of the contracts that a rule writes."""
        return digest_of([contract(name).schema_digest() for name in tables])

    def checks(self, *tables: str) -> str:
        """Digest of the checks parts of the contracts that a rule verifies."""
        return digest_of([contract(name).checks_digest() for name in tables])

    def claims(self, study: str) -> str:
        """Digest of a study's claims.yaml, for the rule that evaluates it."""
        return digest_of(base.read_yaml(PACKAGE / "studies" / study / "claims.yaml"))

    # -- manifests and shards -------------------------------------------------------------------------
    def rows(self, source: str) -> list[mf.Row]:
        """Manifest rows of a source in this run: the committed manifests that its settings name, and the user's.

        Raises SeedlotError for an item that stands twice, or one in `items` that no manifest has.
        """
        settings = getattr(self.config.sources, source)
        rows: list[mf.Row] = []
        for name in settings.manifests:
            rows += mf.load_manifest(MANIFESTS / f"{name}.tsv", source)
        if source in self.config.manifests:
            rows += self._user_rows(source)
        seen: dict[str, mf.Row] = {}
        for row in rows:
            if row.item in seen:
                raise SeedlotError(
                    f"item '{row.item}' is in two manifests of source '{source}'",
                    todo="rename one or drop a manifest",
                )
            seen[row.item] = row
        for item in settings.items:
            if item not in seen:
                raise unknown("item", item, seen, where=f"config key 'sources.{source}.items'")
        return [seen[item] for item in sorted(settings.items or seen)]

    def _user_rows(self, source: str) -> list[mf.Row]:
        """The user's rows of a source; raises SeedlotError for one that the source says it cannot read."""
        from seedlot.catalog.user import load_user_manifest

        spec = self.config.manifests[source].model_dump()
        spec["folder"] = spec["folder"] or spec["path"].parent
        rows = load_user_manifest(spec, source)
        settings = getattr(self.config.sources, source)
        for row in rows:
            settings.check_row(row.extra, f"{spec['path']}, item '{row.item}'")
        return rows

    def shards(self, source: str) -> dict[str, list[mf.Row]]:
        """Shard name -> rows, for every shard that holds at least one item."""
        if source not in self._shards:
            settings = getattr(self.config.sources, source)
            self._shards[source] = split_into_shards(
                self.rows(source), settings.buckets, settings.shard_cap_bytes
            )
        return self._shards[source]

    def shard_files(self, source: str, pattern: str) -> list[str]:
        """One path per shard of a source."""
        return [pattern.replace("{shard}", shard) for shard in self.shards(source)]

    def publish_shards(
        self, source: str, tables: Sequence[str], more: Mapping[str, Mapping[str, str]] | None = None
    ) -> None:
        """Register tables that every shard of a source writes as `<ds>/<table>/<shard>.parquet`; `more`: other parts."""
        ds, work = self.paths["ds"], self.paths["work"]
        parts = {shard: {t: f"{ds}/{t}/{shard}.parquet" for t in tables} for shard in self.shards(source)}
        items, rejects = (
            self.shard_files(source, f"{work}/{source}/{kind}/{{shard}}.parquet")
            for kind in ("items", "rejects")
        )
        self.publish(source, parts | {k: dict(v) for k, v in (more or {}).items()}, items, rejects)

    def _groups(self, source: str, shard: str) -> list[list[mf.Row]]:
        """The rows of a shard by origin: what one receipt covers."""
        groups: dict[str, list[mf.Row]] = {}
        for row in self.shards(source)[shard]:
            groups.setdefault(row.origin, []).append(row)
        return [groups[origin] for origin in sorted(groups)]

    def receipts(self, source: str) -> Callable[..., list[str]]:
        """Input function: the receipts of the rows of `wildcards.shard`."""
        return lambda wildcards: [
            receipt_path(self.root, source, rows).as_posix() for rows in self._groups(source, wildcards.shard)
        ]

    def bounded_minutes(self, source: str, shard: str, seconds_per_item: float) -> int:
        """Run time to ask for when every item of a shard may take that long: rounded up, and 15 minutes on top."""
        return 15 + -(-int(len(self.shards(source)[shard]) * seconds_per_item) // 60)

    def expanded(self, paths: str | Sequence[str]) -> str | list[str]:
        """Paths with pathvars filled in, for input functions, where Snakemake does not do it."""
        if not isinstance(paths, str):
            return [self.expanded(path) for path in paths]
        for name, value in self.paths.items():
            paths = paths.replace(f"<{name}>", value)
        return paths

    def rows_digest(self, source: str) -> Callable[..., str]:
        """Parameter value: digest of what the manifest tells of the rows of a shard and a table repeats."""
        return lambda wildcards: digest_of([_told(row) for row in self.shards(source)[wildcards.shard]])

    def job_rows(self, source: str, wildcards: Mapping[str, str]) -> list[dict[str, Any]]:
        """The rows a job works on, as plain dicts: by receipt digest for a fetch, by shard for a curate job."""
        if "receipt" not in wildcards:
            return [row.to_dict() for row in self.shards(source)[wildcards["shard"]]]
        for shard in self.shards(source):
            for rows in self._groups(source, shard):
                if mf.row_digest(rows) == wildcards["receipt"]:
                    return [row.to_dict() for row in rows]
        raise SeedlotError(
            f"no rows of source '{source}' have the digest {wildcards['receipt']}",
            todo="the manifest or the config changed since this target was named; ask for the dataset instead",
        )


def _told(row: mf.Row) -> dict[str, Any]:
    told = row.to_dict()
    for name in ("bytes", "sha256", "evidence", "url"):
        told.pop(name)
    told["extra"] = {k: v for k, v in told["extra"].items() if k not in ("note", "folder")}
    return told
