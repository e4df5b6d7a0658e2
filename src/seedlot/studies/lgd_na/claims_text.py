"""The paper's claims as written in claims.yaml: loading, the frozen comparison, the digest of a claim's text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from seedlot.config.errors import SeedlotError, unknown
from seedlot.report.ledger import text_digest

FILE = Path(__file__).with_name("claims.yaml")
KINDS = (
    "better",
    "dynamic_mean",
    "dynamic_never_loses",
    "gain_range",
    "geometry",
    "published",
    "time_ratio",
    "untestable",
)


@dataclass(frozen=True)
class Frozen:
    """The comparison set, fixed before anything was measured; see claims.yaml for each word."""

    methods: tuple[str, ...]
    lgd_rules: tuple[str, ...]
    local_methods: tuple[str, ...]
    ablation: tuple[str, ...]
    paper_methods_not_run: tuple[str, ...]
    paper_domains: dict[str, tuple[str, ...]]
    reference: str
    min_nodes: int
    min_families: int
    level: float
    replicates: int
    bootstrap_seed: int


@dataclass(frozen=True)
class Claim:
    """One statement of the paper. text: the YAML entry; digest: sha256 of all that decides its verdict."""

    id: str
    kind: str
    statement: str
    text: dict[str, Any]
    scale: dict[str, int]
    digest: str

    def get(self, name: str, default: Any = None) -> Any:
        """A field of the entry."""
        return self.text.get(name, default)


def load(file: Path = FILE) -> tuple[Frozen, list[Claim]]:
    """The frozen comparison and the claims in file order. SeedlotError for a malformed file."""
    page = yaml.safe_load(file.read_text(encoding="utf-8"))
    frozen = _frozen(page["frozen"])
    claims, seen = [], set()
    for entry in page["claims"]:
        where = f"{file.name}: claim '{entry.get('id', '?')}'"
        if entry["kind"] not in KINDS:
            raise unknown("kind of claim", entry["kind"], KINDS, where=where)
        if entry["scale"] not in page["scales"]:
            raise unknown("scale", entry["scale"], page["scales"], where=where)
        if entry["id"] in seen:
            raise SeedlotError("two claims share one id", where=where, todo="rename one of them")
        for name in (*entry.get("methods", ()), *entry.get("against", ())):
            if name not in frozen.methods:
                raise unknown("method", name, frozen.methods, where=where)
        seen.add(entry["id"])
        scale = page["scales"][entry["scale"]]
        digest = text_digest(page, entry)
        claims.append(Claim(entry["id"], entry["kind"], entry["statement"], entry, scale, digest))
    return frozen, claims


def _frozen(page: dict[str, Any]) -> Frozen:
    lists = ("methods", "lgd_rules", "local_methods", "ablation", "paper_methods_not_run")
    return Frozen(
        **{name: tuple(page[name]) for name in lists},
        **{name: page[name] for name in ("reference", "min_nodes", "min_families", "level")},
        paper_domains={name: tuple(own) for name, own in page["paper_domains"].items()},
        replicates=page["bootstrap"]["replicates"],
        bootstrap_seed=page["bootstrap"]["seed"],
    )
