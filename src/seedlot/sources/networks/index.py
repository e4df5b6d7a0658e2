"""All shards' networks -> one table, with networks of equal content marked and their families joined."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from seedlot.config.errors import SeedlotError
from seedlot.contracts.model import contract
from seedlot.sources.networks.shape import Adjacency, adjacency, isomorphic
from seedlot.store.job import Job
from seedlot.store.parquet import read_table, write_table

# Below this size two systems can have the same graph by chance, so their families stay apart.
FAMILY_MIN_NODES = 16
Load = Callable[[Mapping[str, Any]], Adjacency]
log = logging.getLogger("seedlot")


def run(job: Job) -> None:
    """Publish core_networks__nets.

    input: nets, edges (files of all shards, paired by file name). output: nets. Raises SeedlotError when a
    network stands in two shards or its links are not as many as its row says.
    """
    made = contract("core_networks__nets")
    nets: list[dict[str, Any]] = []
    home: dict[str, Path] = {}
    links = {path.stem: path for path in job.paths("edges")}
    for path in job.paths("nets"):
        shard = read_table(path).to_pylist()
        _same_counts(shard, links[path.stem])
        for net in shard:
            if net["net_id"] in home:
                raise SeedlotError(f"network '{net['net_id']}' is in two shards", where=str(path))
            home[net["net_id"]] = links[path.stem]
        nets += shard
    originals = find_duplicates(nets, lambda net: _load(net, home[net["net_id"]]))
    families = join_families(nets, originals)
    for net in nets:
        net["duplicate_of"] = originals.get(net["net_id"])
        net["family"] = families[net["family"]]
    schema = made.arrow_schema()
    write_table(job.output["nets"], pa.Table.from_pylist(nets, schema=schema), schema, made.key)


def _same_counts(nets: list[dict[str, Any]], edges: Path) -> None:
    """Refuse a shard whose links are not m per network, as its networks say."""
    found = pc.value_counts(read_table(edges, ["net_id"]).column("net_id").combine_chunks())
    seen = dict(zip(found.field("values").to_pylist(), found.field("counts").to_pylist()))
    for net in nets:
        if seen.pop(net["net_id"], 0) != net["m"]:
            raise SeedlotError(f"the links of '{net['net_id']}' are not {net['m']} rows", where=str(edges))
    if seen:
        raise SeedlotError(f"links of networks that are in no table: {sorted(seen)}", where=str(edges))


def _load(net: Mapping[str, Any], edges: Path) -> Adjacency:
    """Links of one network out of its shard; row groups of other networks are skipped."""
    table = pq.read_table(
        edges, columns=["src", "dst"], filters=[("net_id", "==", net["net_id"])], use_threads=False
    )
    return adjacency(net["n"], table["src"].to_numpy(), table["dst"].to_numpy())


def find_duplicates(nets: list[dict[str, Any]], load: Load) -> dict[str, str]:
    """net_id -> net_id of the network it repeats; originals have no entry.

    Candidates share n, m and `shape`. Equal `sha256_edges` settles it; otherwise `load(net)` gives the links
    of both and an isomorphism must be found. The original is the first by (real before simulated, net_id).
    """
    groups: dict[str, list[dict[str, Any]]] = {}
    for net in sorted(nets, key=lambda net: (net["evidence"] != "real", net["net_id"])):
        groups.setdefault(net["shape"], []).append(net)
    found: dict[str, str] = {}
    for group in groups.values():
        kept: list[dict[str, Any]] = []
        for net in group:
            same = next((old for old in kept if _equal(old, net, load)), None)
            if same is None:
                kept.append(net)
            else:
                found[net["net_id"]] = same["net_id"]
    return found


def _equal(one: Mapping[str, Any], two: Mapping[str, Any], load: Load) -> bool:
    if one["sha256_edges"] == two["sha256_edges"]:
        return True
    proof = isomorphic(load(one), load(two))
    if proof is None:
        log.warning(
            "%s and %s have one shape; no proof of equality within the limit, kept apart",
            one["net_id"],
            two["net_id"],
        )
    return proof is True


def join_families(nets: list[dict[str, Any]], originals: Mapping[str, str]) -> dict[str, str]:
    """family of the manifest -> family to publish.

    Families of a network and of its duplicate become one, under the name that comes first in the alphabet,
    unless the network has fewer than FAMILY_MIN_NODES nodes.
    """
    by_id = {net["net_id"]: net for net in nets}
    parent = {net["family"]: net["family"] for net in nets}

    def top(family: str) -> str:
        while parent[family] != family:
            family = parent[family]
        return family

    for copy, original in originals.items():
        if by_id[copy]["n"] >= FAMILY_MIN_NODES:
            low, high = sorted((top(by_id[copy]["family"]), top(by_id[original]["family"])))
            parent[high] = low
    return {family: top(family) for family in parent}
