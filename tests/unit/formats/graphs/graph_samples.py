"""Small valid files of every graph format, written here by hand or by tiny writers, never by the readers."""

import io
import json
import pickle
import struct
import zipfile

import numpy as np


def gt(n, links, *, order="<", directed=False, maps=(), comment="made by hand"):
    """A .gt file. maps: (kind, name, value type, bytes of all values)."""
    width = next(w for w, most in ((1, 1 << 8), (2, 1 << 16), (4, 1 << 32), (8, 1 << 64)) if n < most)
    code = order + {1: "B", 2: "H", 4: "I", 8: "Q"}[width]
    u64 = struct.Struct(order + "Q").pack
    out = [b"\xe2\x9b\xbe gt\x01", b"\0" if order == "<" else b"\1", u64(len(comment)), comment.encode()]
    out += [bytes([directed]), u64(n)]
    targets = [[] for _ in range(n)]
    for a, b in links:
        targets[a].append(b)
    for row in targets:
        out += [u64(len(row)), *(struct.pack(code, b) for b in row)]
    out.append(u64(len(maps)))
    for kind, name, value_type, values in maps:
        out += [bytes([kind]), u64(len(name)), name.encode(), bytes([value_type]), values]
    return b"".join(out)


def gt_strings(words, order="<"):
    """Values of a string map."""
    return b"".join(struct.pack(order + "Q", len(w.encode())) + w.encode() for w in words)


def archive(members):
    """A zip of {name: bytes}."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as box:
        for name, data in members.items():
            box.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


class RWriter:
    """R's serialisation of the few types that an igraph object needs."""

    def __init__(self, ascii_form=False, version=2):
        self.ascii, self.out, self.known = ascii_form, [], []
        mark = "A" if ascii_form else "X"
        self.out.append(f"RD{mark}{version}\n{mark}\n".encode())
        for value in (version, 0x30600, 0x20300 if version == 2 else 0x30500):
            self.int(value)
        if version == 3:
            self.int(5)
            self.out.append(b"UTF-8\n" if ascii_form else b"UTF-8")

    def int(self, value):
        if self.ascii:
            self.out.append(b"NA\n" if value == -(2**31) else b"%d\n" % value)
        else:
            self.out.append(struct.pack(">i", value))

    def real(self, value):
        self.out.append(f"{value:.17g}\n".encode() if self.ascii else struct.pack(">d", value))

    def chars(self, text):
        raw = text.encode()
        self.int(9 | 64 << 12)
        self.int(len(raw))
        if self.ascii:
            raw = "".join(chr(b) if 32 < b < 127 and b != 92 else f"\\{b:03o}" for b in raw).encode() + b"\n"
        self.out.append(raw)

    def symbol(self, name):
        if name in self.known:
            self.int((self.known.index(name) + 1) << 8 | 255)
            return
        self.known.append(name)
        self.int(1)
        self.chars(name)

    def vector(self, code, items, attributes=None, is_object=False):
        self.int(code | (0x200 if attributes else 0) | (0x100 if is_object else 0))
        self.int(len(items))
        for item in items:
            if callable(item):
                item()
            elif code == 16:
                self.chars(item)
            else:
                self.real(item) if code == 14 else self.int(item)
        if attributes:
            self.pairs(attributes)

    def pairs(self, tagged):
        for name, write in tagged.items():
            self.int(2 | 0x400)
            self.symbol(name)
            write()
        self.int(254)

    def reals(self, items):
        return lambda: self.vector(14, items)

    def strings(self, items):
        return lambda: self.vector(16, items)

    def named(self, parts):
        return lambda: self.vector(19, list(parts.values()), {"names": self.strings(list(parts))})

    def igraph(self, n, src, dst, *, directed=False, vertex=None, edge=None, new=True, wrap=False):
        """An igraph object; `new` adds the environment with a second copy under `me`."""

        def ends(items):
            return self.wrapped(items) if wrap else self.reals(items)

        def core(last):
            nothing = [lambda: self.int(254)] * 4 if new else [self.reals([])] * 4
            attributes = [
                self.reals([1, 0, 1]),
                lambda: self.vector(19, []),
                self.named(vertex or {}),
                self.named(edge or {}),
            ]
            parts = [self.reals([n]), lambda: self.vector(10, [int(directed)]), ends(src), ends(dst)]
            parts += [*nothing, lambda: self.vector(19, attributes), *last]
            self.vector(19, parts, {"class": self.strings(["igraph"])}, is_object=True)

        def environment():
            self.int(4)
            self.known.append(object())
            self.int(0)
            self.int(253)
            self.pairs({"me": lambda: core([lambda: self.int(254)])})
            self.int(254)
            self.int(254)

        return lambda: core([environment] if new else [])

    def wrapped(self, items):
        """The wrapper that R puts around long vectors when it saves them."""

        def write():
            self.int(238)
            self.int(2)
            self.symbol("wrap_real")
            self.int(2)
            self.symbol("base")
            self.int(2)
            self.vector(13, [14])
            self.int(254)
            self.int(2)
            self.vector(14, items)
            self.vector(13, [0, 0])
            self.int(254)

        return write

    def save(self, objects):
        """The finished file of named objects."""
        self.pairs(objects)
        return b"".join(self.out)


def rda(ascii_form=False, version=2, **options):
    """One igraph object g: a triangle with a tail, nodes a-d, weights 1-4."""
    w = RWriter(ascii_form, version)
    vertex, edge = {"name": w.strings(["a", "b", "c", "d"])}, {"weight": w.reals([1, 2, 3, 4])}
    return w.save({"g": w.igraph(4, [1, 2, 2, 3], [0, 0, 1, 2], vertex=vertex, edge=edge, **options)})


def npy(array):
    """A .npy file."""
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def mat(array, compressed=True):
    """A .mat file of version 5 with the variable A."""
    from scipy.io import savemat

    out = io.BytesIO()
    savemat(out, {"A": array}, do_compression=compressed)
    return out.getvalue()


def mat73(array):
    """A .mat file of version 7.3 (HDF5) with the variable A."""
    import h5py

    out = io.BytesIO()
    with h5py.File(out, "w") as file:
        file["A"] = array.T
    return out.getvalue()


CYCLE = np.array([[0, 1, 0, 2], [1, 0, 3, 0], [0, 3, 0, 1], [2, 0, 1, 5]])
"""Symmetric, 4 ties on a cycle and one loop: 5 records."""

CASE = b"""function mpc = case4
%% bus data
mpc.bus = [ % comment with ]
\t10\t3\t0;\t20\t1\t0;
\t35\t1\t0;
\t40\t1\t0;
];
mpc.branch = [
\t10\t20\t0.01\t0.1\t0\t0\t0\t0\t0\t0\t1;
\t10\t20\t0.01\t0.2\t0\t0\t0\t0\t0\t0\t1;
\t20\t35\t0.01\t0.3\t0\t0\t0\t0\t0\t0\t0;
\t35 40 0.01 0.4 0 ...
\t0 0 0 0 0 1
\t40\t77\t0.01\t0.5\t0\t0\t0\t0\t0\t0\t1;
];
"""

TNTP = b"""<NUMBER OF ZONES> 2
<NUMBER OF NODES> 4
<NUMBER OF LINKS> 3
<END OF METADATA>


~\tInit node\tTerm node\tCapacity\tLength\t;
\t1\t2\t900\t5\t;
\t2\t1\t800\t5\t;
\t2\t3\t700\t2\t;
"""

PYTHON = b'''import nx

def ring():
    """A ring of four with names."""
    G = nx.Graph()
    people = ["ann", "bob", "cy", "di", "eve"]
    G.add_nodes_from(people, role=0)
    G.add_edges_from([("ann", "bob"), ("bob", "cy"), ("cy", "di")])
    G.add_edge("di", "ann", weight=3)
    return G

def block():
    data = """\\
0 1 0
1 0 2
1 0 0"""
    for i, row in enumerate(data.split("\\n")):
        for j, x in enumerate(row.split()):
            if int(x):
                G.add_edge(i, j)

def lists():
    return nx.from_dict_of_lists({0: [1, 2], 1: [0], 2: [0]})

def computed():
    G = cycle_graph(5)
    G.add_edges_from([(0, 2)])
    return G

def computed_too():
    G = nx.Graph()
    for i in range(5):
        G.add_edge(i, i + 1)
    G.add_edge(0, 3)

TABLE = [(1, 2), (2, 3)]
'''

PAJEK = b"""*Vertices 4 2
1 "a"
2 "b c"
*Arcs :1 "likes"
1 2 3
2 3
*Edgeslist
1 3 4
*Matrix
0 1 0 0
0 0 0 0
0 0 0 2
1 0 0 0
"""
DL = b"DL N=3 NM=1 FORMAT=FULLMATRIX\nLABELS:\nann bob cy\nDATA:\n0 1 1\n1 0 0\n1 0 0\n"
GML = b"""graph [
 directed 0
 node [ id 1 label "a" ]
 node [ id 2 label "b" ]
 node [ id 5 ]
 edge [ source 1 target 2 weight 2.5 ]
 edge [ source 2 target 5 ]
]
"""
GRAPHML = b"""<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="d0" for="edge" attr.name="weight" attr.type="double"/>
<graph id="G" edgedefault="undirected"><node id="n0"/><node id="n1"/><node id="n2"/>
<edge source="n0" target="n1"><data key="d0">1.5</data></edge><edge source="n1" target="n2"/></graph></graphml>
"""

EDGES = b"# source, target, weight\n0, 1, 2.5\n1, 2, 1.0\n2, 4, 3.0\n"
NODES = b'# index, name, _pos\n0, ann, "array([0., 1.])"\n1, bob, "array([1., 1.])"\n2, cy, ""\n3, di, ""\n'
MTX = b"%%MatrixMarket matrix coordinate real symmetric\n% made by hand\n4 4 4\n2 1 0.5\n3 1 1.5\n4 3 -2\n4 4 7\n"
METIS = b"% made by hand\n5 4\n2 3\n1 3\n1 2 4\n3\n\n"
KONECT = b"% bip weighted\n% 4 3 2\n1 1 1\n2 1 2\n3 2 1\n3 1 5\n"
LABELLED = b'"","x, y",z\n"row one",1,0\nb,2,3\nc,0,1\n'
SQUARE = b",a,b,c\na,0,1,0\nb,1,0,2\nc,0,2,0\n"


NODELINK = {"nodes": [{"id": 1}], "links": [{"source": 1, "target": "b", "value": 2}]}
CYTOSCAPE = {
    "elements": {
        "nodes": [{"data": {"id": "a"}}, {"data": {"id": "b"}}],
        "edges": [{"data": {"source": "a", "target": "b", "weight": 3}}],
    }
}
ADJACENCY = {"nodes": [{"id": "x"}, {"id": "y"}], "adjacency": [[{"id": "y", "weight": 2}], [{"id": "x"}]]}
GEXF = b"""<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">
 <graph defaultedgetype="undirected" mode="static">
  <nodes><node id="0" label="Ann"/><node id="1" label="Bob"><nodes><node id="2"/></nodes></node></nodes>
  <edges>
   <edge id="0" source="0" target="1" weight="2.5"/>
   <edge id="1" source="1" target="2" type="directed"><attvalues/></edge>
   <edge id="2" source="2" target="0" type="mutual"/>
   <!-- <edge id="3" source="0" target="0"/> -->
   <edge id="4" source="0" target="9"/>
   <edge id="5" target="1"/>
   <edge id="6" source="0" target="1" weight="heavy"/>
  </edges>
 </graph>
</gexf>
"""


def every():
    """{format: [(file, reader options)]}: at least one valid file of each registered format."""
    pairs = np.array([[1, 2], [2, 3], [9, 1]])
    maps = [(2, "weight", 4, struct.pack("<3d", 1, 2, 3)), (1, "name", 6, gt_strings(["a", "b", "c", "d"]))]
    links = [(0, 1), (0, 2), (2, 2)]
    return {
        "gt": [(gt(4, links, maps=maps), {}), (gt(300, links, order=">", directed=True), {})],
        "edgelist": [
            (b"# c\n1 2 0.5\n2 3 -\n7 1 2\n", {}),
            (b"a;b\nb;c\n", {}),
            (b'from,to\n"x, y",b\nb,c\n', {}),
        ],
        "edges": [(b"% c\n1,2,3,100\n2,3,1,101\n", {})],
        "snap": [(b"# FromNodeId\tToNodeId\r\n10\t20\r\n20\t10\r\n", {})],
        "contacts": [(b"100\t1\t2\tA\n120\t2\t3\tB\n", {}), (b"idx,time,day,from,to\n0,5,1,7,8\n", {})],
        "signed_temporal": [(b"1,2,-10,100\n2,3,4,200\n", {})],
        "triples": [(b"ann\tknows\tbob\nbob\tlikes\tcy\n", {})],
        "pairs": [(b"1 C1\n1 C2\n2 C1\n", {})],
        "gephi": [(b"Source,Target,Type,weight\ra,b,Undirected,2\rb,c,Directed,1\r", {})],
        "routes": [(b"2B,410,AER,2965,KZN,2990,,0,CR2\n2B,410,ASF,2966,KZN,2990,,0,CR2\n", {})],
        "konect": [(KONECT, {}), (b"% asym unweighted\n1 2\n3 1\n", {})],
        "mtx": [(MTX, {}), (b"%%MatrixMarket matrix array integer general\n2 2\n0\n3\n0\n1\n", {})],
        "metis": [(METIS, {}), (b"3 2 11 1\n5 2 7\n1 1 7 3 9\n2 2 9\n", {})],
        "matpower": [(CASE, {})],
        "tntp": [(TNTP, {})],
        "biadjacency": [(LABELLED, {})],
        "adjacency": [(SQUARE, {})],
        "matrix": [(b"0 1 0\n1 0 2\n0 2 3\n", {}), (b"0,1\n0,0\n", {})],
        "tvb": [(archive({"c/weights.txt": b"0 1\n2 0\n", "c/centres.txt": b"L 0 0 0\nR 1 0 0\n"}), {})],
        "netzschleuder": [(archive({"edges.csv": EDGES, "nodes.csv": NODES + b'4, eve, ""\n'}), {})],
        "rda": [(rda(), {}), (rda(True, 3), {}), (rda(False, 3, new=False), {})],
        "mat": [
            (mat(CYCLE.astype(float)), {}),
            (mat(CYCLE.astype(np.int32), False), {}),
            (mat73(CYCLE * 1.0), {}),
        ],
        "npy": [(npy(CYCLE), {}), (npy(pairs), {}), (archive({"a.npy": npy(CYCLE * 1.5)}), {})],
        "pickle": [(pickle.dumps({"x": pairs}, protocol), {}) for protocol in (0, 2, 4, 5)],
        "pyliteral": [(PYTHON, {}), (PYTHON, {"variable": "TABLE"})],
        "nodelink": [(json.dumps(document).encode(), {}) for document in (NODELINK, CYTOSCAPE, ADJACENCY)],
        "adjlist": [(b"# c\na b c\nb c\nc\nd\n", {}), (b"1 2 3\n", {"directed": True})],
        "gexf": [(GEXF, {}), (GEXF, {"directed": True})],
        "pajek": [(PAJEK, {})],
        "ucinet": [(DL, {})],
        "gml": [(GML, {})],
        "graphml": [(GRAPHML, {})],
    }
