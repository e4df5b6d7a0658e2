"""Simulated networks in the files of the catalogues they stand in for, quirks included.

Written from the documentation of each format; nothing here is shared with a reader. Times inside archives are
fixed, so the bytes depend on the network and the compression library alone.
"""

from __future__ import annotations

import bz2
import gzip
import io
import struct
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from seedlot.config.errors import unknown


@dataclass(frozen=True)
class RawFile:
    """bytes of a file, and the label under which it knows each of the n nodes."""

    data: bytes
    labels: list[str]


Links = Sequence[tuple[int, int]]


def netzschleuder(name: str, n: int, links: Links) -> RawFile:
    """Netzschleuder .csv.zip: edges.csv, nodes.csv, gprops.csv, 0-based ids, blanks after commas, '#' headers."""
    parts = {
        "edges.csv": "# source, target, weight\n" + "".join(f"{i}, {j}, 1\n" for i, j in links),
        "nodes.csv": "# index, _pos\n" + "".join(f'{i}, "array([0.0, 0.0])"\n' for i in range(n)),
        "gprops.csv": f'# name, description\n"{name}", "simulated, no real system"\n',
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, text in parts.items():
            archive.writestr(zipfile.ZipInfo(member, (1980, 1, 1, 0, 0, 0)), text, zipfile.ZIP_DEFLATED)
    return RawFile(buffer.getvalue(), [str(i) for i in range(n)])


def konect(name: str, n: int, links: Links) -> RawFile:
    """KONECT .tar.bz2: out.<code> with two '%' lines and 1-based ids, a meta file and a README beside it."""
    rows = "".join(f"{i + 1} {j + 1}\n" for i, j in links)
    parts = {
        f"{name}/README.{name}": "Simulated network, no real system.\n",
        f"{name}/meta.{name}": f"name: {name}\ncategory: Simulated\nurl: none\n",
        f"{name}/out.{name}": f"% sym unweighted\n% {len(links)} {n} {n}\n" + rows,
    }
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for member, text in parts.items():
            entry = tarfile.TarInfo(member)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return RawFile(bz2.compress(buffer.getvalue()), [str(i + 1) for i in range(n)])


def graph_tool(name: str, n: int, links: Links) -> RawFile:
    """graph-tool .gt version 1, big-endian, with a graph property and a string property on edges."""
    width = "B" if n < 2**8 else "H" if n < 2**16 else "I"
    targets: list[list[int]] = [[] for _ in range(n)]
    for i, j in links:
        targets[i].append(j)

    def text(value: str) -> bytes:
        return struct.pack(">Q", len(value.encode())) + value.encode()

    comment = f"simulated; stats: {n} vertices, {len(links)} edges, undirected, 1 graph props, 0 vertex props, 1 edge props"
    out = [b"\xe2\x9b\xbe gt", b"\x01", b"\x01", text(comment), b"\x00", struct.pack(">Q", n)]
    out += [struct.pack(f">Q{len(near)}{width}", len(near), *near) for near in targets]
    out += [
        struct.pack(">Q", 2),
        b"\x00",
        text("name"),
        b"\x06",
        text(name),
        b"\x02",
        text("_graphml_edge_id"),
        b"\x06",
    ]
    out += [text(f"e{k}") for k in range(len(links))]
    return RawFile(b"".join(out), [str(i) for i in range(n)])


def gml(name: str, n: int, links: Links) -> RawFile:
    """GML with a creator line, a '#' comment, ids from 1 and quoted labels."""
    nodes = "".join(f'  node\n  [\n    id {i + 1}\n    label "n{i}"\n  ]\n' for i in range(n))
    edges = "".join(f"  edge\n  [\n    source {i + 1}\n    target {j + 1}\n  ]\n" for i, j in links)
    data = f'Creator "simulated"\n# {name}\ngraph\n[\n  directed 0\n{nodes}{edges}]\n'
    return RawFile(data.encode(), [f"n{i}" for i in range(n)])


def graphml(name: str, n: int, links: Links) -> RawFile:
    """GraphML; every fifth edge states directed="false" although that is the default of the graph."""
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        '  <key id="d0" for="edge" attr.name="weight" attr.type="double"/>\n'
        f'  <graph id={quoteattr(name)} edgedefault="undirected">\n'
    )
    nodes = "".join(f'    <node id="n{i}"/>\n' for i in range(n))
    stated = ("", "", "", "", ' directed="false"')
    edges = "".join(
        f'    <edge source="n{i}" target="n{j}"{stated[k % 5]}><data key="d0">1.0</data></edge>\n'
        for k, (i, j) in enumerate(links)
    )
    return RawFile(f"{head}{nodes}{edges}  </graph>\n</graphml>\n".encode(), [f"n{i}" for i in range(n)])


def pajek(name: str, n: int, links: Links) -> RawFile:
    """Pajek .net with CRLF, quoted labels with a blank, half of the links in *Edgeslist and half in *edges."""
    half = len(links) // 2
    near: dict[int, list[int]] = {}
    for i, j in links[:half]:
        near.setdefault(i, []).append(j)
    rows = [
        f"*Network {name}",
        f"*Vertices {n}",
        *(f'{i + 1} "node {i}" 0.0000 0.0000 0.5000' for i in range(n)),
    ]
    rows += ["*Edgeslist", *(" ".join(str(x + 1) for x in (i, *js)) for i, js in near.items())]
    rows += ["*edges", *(f"{i + 1} {j + 1} 1" for i, j in links[half:])]
    return RawFile("".join(row + "\r\n" for row in rows).encode(), [f"node {i}" for i in range(n)])


def matrix_market(name: str, n: int, links: Links) -> RawFile:
    """MatrixMarket coordinate pattern symmetric: 1-based, lower triangle, '%' comments before the size line."""
    head = f"%%MatrixMarket matrix coordinate pattern symmetric\n% {name}\n{n} {n} {len(links)}\n"
    rows = "".join(f"{j + 1} {i + 1}\n" for i, j in links)
    return RawFile((head + rows).encode(), [str(i + 1) for i in range(n)])


def snap(name: str, n: int, links: Links) -> RawFile:
    """SNAP .txt.gz: '#' lines, tabs, ids with gaps, and every link that is no loop in both directions."""
    ids = [3 * i + 7 for i in range(n)]
    arcs = sorted([(ids[i], ids[j]) for i, j in links] + [(ids[j], ids[i]) for i, j in links if i != j])
    head = (
        f"# Undirected graph: {name}\n# Simulated\n# Nodes: {n} Edges: {len(arcs)}\n# FromNodeId\tToNodeId\n"
    )
    data = head + "".join(f"{i}\t{j}\n" for i, j in arcs)
    return RawFile(gzip.compress(data.encode(), mtime=0), [str(i) for i in ids])


WRITERS: dict[str, Callable[[str, int, Links], RawFile]] = {
    "gml": gml,
    "graphml": graphml,
    "gt": graph_tool,
    "konect": konect,
    "mtx": matrix_market,
    "netzschleuder": netzschleuder,
    "pajek": pajek,
    "snap": snap,
}


def raw_file(fmt: str, name: str, n: int, links: Links) -> RawFile:
    """The network as a file of a format. links: node pairs, first <= second, loops and repeats allowed."""
    if fmt not in WRITERS:
        raise unknown("format to simulate", fmt, WRITERS)
    return WRITERS[fmt](name, n, links)
