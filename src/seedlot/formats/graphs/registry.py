"""The graph formats by name, and the one way to read a file of any of them.

A reader is a module with two functions:

    read(data: bytes, args: dict) -> list[RawGraph]    every network in the file, in file order
    count(data: bytes, args: dict) -> int              records in the file, summed over all networks,
                                                       by a second and simpler route than read

`data` is the decompressed file. `args` holds `format`, the format name under which the reader was called
(one module can serve several), and the reader's own options (never `member` or `network`, which
are used here); a reader refuses an option it does not know. Bad records become rejects; a file that cannot
be in this format raises SeedlotError. Modules are imported when they are first used.
What format a file is in, when nobody says, is the business of `detect`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs.model import RawGraph
from seedlot.formats.graphs.open import read_bytes


@dataclass(frozen=True)
class Format:
    """module: dotted name below this package. archive: the reader wants the whole zip, not a member.
    members: glob patterns of the members to prefer when the file is an archive, best first."""

    module: str
    archive: bool = False
    members: tuple[str, ...] = ()


FORMATS: dict[str, Format] = {
    "biadjacency": Format("adjacency_csv", members=("*.csv",)),
    "adjacency": Format("adjacency_csv", members=("*.csv",)),
    "adjlist": Format("adjlist", members=("*.adjlist",)),
    "contacts": Format("edgelist"),
    "edges": Format("edgelist", members=("*.edges",)),
    "edgelist": Format("edgelist"),
    "gephi": Format("edgelist", members=("*.csv",)),
    "gexf": Format("gexf", members=("*.gexf",)),
    "gml": Format("gml", members=("*.gml",)),
    "graphml": Format("graphml", members=("*.graphml", "*.xml")),
    "gt": Format("gt", members=("*.gt",)),
    "konect": Format("konect", members=("*/out.*", "out.*")),
    "mat": Format("matfile", members=("*.mat",)),
    "matpower": Format("matpower", members=("*.m",)),
    "matrix": Format("matrix"),
    "metis": Format("metis", members=("*.graph", "*.metis")),
    "mtx": Format("mtx", members=("*.mtx",)),
    "netzschleuder": Format("netzschleuder", archive=True),
    "nodelink": Format("nodelink", members=("*.json", "*.cyjs")),
    "npy": Format("npy", archive=True),
    "pairs": Format("edgelist"),
    "pajek": Format("pajek", members=("*.net", "*.paj", "*.NET", "*.PAJ")),
    "pickle": Format("picklearray", members=("*.pkl", "*.pickle")),
    "pyliteral": Format("pyliteral", members=("*.py",)),
    "rda": Format("rda", members=("*.rda", "*.RData")),
    "routes": Format("edgelist", members=("*.csv",)),
    "signed_temporal": Format("edgelist"),
    "snap": Format("edgelist"),
    "tntp": Format("tntp", members=("*.tntp",)),
    "triples": Format("edgelist"),
    "tvb": Format("tvb", archive=True),
    "ucinet": Format("ucinet", members=("*.dl", "*.dat")),
}

READERS: dict[str, str] = {name: f"seedlot.formats.graphs.{entry.module}" for name, entry in FORMATS.items()}


def reader(fmt: str) -> ModuleType:
    """The reader module of a format name. Raises SeedlotError naming the nearest valid name."""
    if fmt not in READERS:
        raise unknown("graph format", fmt, READERS)
    return import_module(READERS[fmt])


def read_graphs(path: Path, fmt: str, args: dict | None = None) -> list[RawGraph]:
    """Every network of a file, checked against the independent counter.

    path: the file as published, compressed or not. fmt: a key of FORMATS. args: options of the reader, and
    `member`, the name of the wanted member when the file is an archive of several.
    Raises SeedlotError when the file cannot be read, when it is larger than the limits allow, or when
    kept + rejected differs from the records counted.
    """
    args = dict(args or {})
    args.pop("network", None)
    module, entry = reader(fmt), FORMATS[fmt]
    data = read_bytes(
        Path(path), member=args.pop("member", None), prefer=entry.members, archive=entry.archive
    )
    return read_data(data, module, args | {"format": fmt}, where=str(path))


def read_data(data: bytes, module: ModuleType, args: dict, where: str) -> list[RawGraph]:
    """Run a reader and its counter over decompressed bytes and compare what they saw."""
    try:
        graphs = [graph.check() for graph in module.read(data, args)]
        counted = module.count(data, args)
    except SeedlotError as error:
        place = f"{where}, {error.where}" if error.where else where
        raise SeedlotError(error.what, where=place, todo=error.todo) from error
    seen = sum(graph.read for graph in graphs)
    if seen != counted:
        raise SeedlotError(f"the reader saw {seen} records, the counter {counted}", where=where)
    return graphs


def read_graph(path: Path, fmt: str, args: dict | None = None) -> RawGraph:
    """One network of a file: the first, or the one that args['network'] names (1-based number, or name)."""
    return select(read_graphs(path, fmt, args), (args or {}).get("network", 1), str(path))


def select(graphs: list[RawGraph], wanted: int | str, where: str) -> RawGraph:
    """The network of that 1-based number or that name. Raises SeedlotError when there is none."""
    if isinstance(wanted, str):
        named = [graph for graph in graphs if graph.name == wanted]
        if not named:
            raise unknown("network", wanted, [graph.name for graph in graphs], where=where)
        return named[0]
    if not 1 <= wanted <= len(graphs):
        raise SeedlotError(
            f"the file holds {len(graphs)} networks, number {wanted} was asked for", where=where
        )
    return graphs[wanted - 1]
