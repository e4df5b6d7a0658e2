"""Broken and hostile input over all graph readers: every one of them ends soon, in a network or in a message."""

import bz2
import gzip
import io
import lzma
import os
import random
import signal
import struct
import time
import tracemalloc
import warnings
import zipfile

import graph_samples as samples
import numpy as np
import pyarrow
import pytest

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs import limits
from seedlot.formats.graphs.detect import of_bytes
from seedlot.formats.graphs.registry import FORMATS, read_data, read_graphs, reader

pytestmark = pytest.mark.soak
CASES = 20_000 if os.environ.get("SEEDLOT_SOAK") else 1_000
LIMIT_S = 2
SAMPLES = samples.every()
WORDS = (
    b"0", b"-1", b"1e308", b"nan", b"inf", b"99999999999999999999", b"2147483647", b"4294967296", b"\n", b"\t",
    b'"', b"\0", b"\xff", b",", b"*", b"[", b"]", b"<", b">", b"%", b"#", b"{", b"(", b"\r", b"1000000000000",
)  # fmt: skip


def mutate(data, rng):
    """One to six random edits: bytes, spans, numbers, duplications, truncation, splices."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(out) + 1)
        stop = min(len(out), at + rng.choice((1, 1, 2, 4, 8, 40)))
        kind = rng.randrange(7)
        if kind == 0 and at < len(out):
            out[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            out[at:stop] = rng.choice(WORDS)
        elif kind == 2:
            out[at:at] = rng.choice(WORDS)
        elif kind == 3:
            del out[at:stop]
        elif kind == 4:
            out[at:at] = out[at:stop] * rng.choice((1, 2, 30))
        elif kind == 5:
            del out[max(at, 8) :]
        else:
            out[at:stop] = rng.randbytes(stop - at)
    return bytes(out)


def mutate_inside(data, rng):
    """A zip with one member mutated, which the checksums of a mutated zip would hide from the reader."""
    with zipfile.ZipFile(io.BytesIO(data)) as box:
        members = {name: box.read(name) for name in box.namelist()}
    name = rng.choice(sorted(members))
    return samples.archive(members | {name: mutate(members[name], rng)})


class TooSlow(BaseException):
    """Raised by the alarm; no reader can swallow it by accident."""


def within_limit(data, fmt, args):
    """Run a reader and its counter under an alarm of processor time, which other programs on the machine do
    not use up; True when a network came out."""
    module = reader(fmt)

    def ring(*_):
        raise TooSlow(f"{fmt}: more than {LIMIT_S} s for {data[:300]!r}")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, LIMIT_S)
    try:
        graphs = read_data(data, module, args | {"format": fmt}, where="mutated")
    except SeedlotError as error:
        assert error.what and len(str(error)) < 4000
        return False
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    for graph in graphs:
        assert graph.read == graph.kept + len(graph.rejects)
        assert graph.kept == len(graph.src) == len(graph.dst)
        assert graph.n <= limits.FREE_NODES + limits.ISOLATED_PER_BYTE * len(data)
    return True


def test_every_registered_format_has_a_valid_sample_that_is_read():
    assert set(SAMPLES) == set(FORMATS)
    for fmt, files in SAMPLES.items():
        for data, args in files:
            assert within_limit(data, fmt, args), fmt


@pytest.mark.parametrize("fmt", sorted(FORMATS))
def test_mutated_files_end_in_a_network_or_a_message(fmt):
    rng = random.Random(f"seedlot {fmt}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in range(-(-CASES // len(FORMATS))):
            data, args = SAMPLES[fmt][case % len(SAMPLES[fmt])]
            inside = data.startswith(b"PK") and rng.random() < 0.8
            try:
                within_limit((mutate_inside if inside else mutate)(data, rng), fmt, args)
            except (Exception, TooSlow) as error:
                pytest.fail(f"{fmt}, case {case}: {type(error).__name__} {error}")


SLOW_SHAPES = {
    "matpower": [b"." * 300_000, b"mpc.bus = [" + b" ;" * 100_000],
    "tntp": [b"\n" * 300_000 + b"<END OF METADATA>", b"<" * 300_000 + b"<END OF METADATA>"],
    "konect": [b"% bip weighted\n% " + b"3" * 4000 + b"x\n"],
    "edgelist": [b'"' * 200_000, b',"' * 100_000, b" " * 500_000, b"\n" * 500_000, b'a,"b\n' * 50_000],
    "netzschleuder": [samples.archive({"edges.csv": b"# source, target\n" + b', "' * 100_000})],
    "biadjacency": [b"," * 300_000, b'""' * 200_000],
    "mtx": [b"%%MatrixMarket matrix coordinate real general\n" + b"%" * 500_000],
    "metis": [b"3 2\n" + b"1 " * 200_000 + b"\n2\n3\n", b"%\n" * 200_000],
    "pyliteral": [b"def f():\n  " + b"G.add_edge(1, 2);" * 4000, b"x = " + b"-" * 100_000 + b"1"],
    "nodelink": [b'{"links": [' + b"1," * 100_000 + b"1]}"],
    "rda": [b"RDX2\nX\n" + struct.pack(">iii", 2, 1, 1) + b"\0\0\3\x13" * 100_000],
    "gt": [b"\xe2\x9b\xbe gt\1\0" + struct.pack("<QBQ", 0, 0, 40_000) + bytes(400_000)],
    "pajek": [b"*" * 300_000, b"*Vertices 2\n" + b'"' * 300_000],
    "ucinet": [b"DL N=2\n" + b"," * 300_000],
    "gml": [b"graph [" + b" node [" * 50_000, b'graph [ a "' + b"x" * 300_000],
    "gexf": [b"<gexf>" * 50_000, b"<!--" * 100_000, b"\n" * 400_000 + b"<gexf>"],
    "adjlist": [b"1 " * 200_000, b"1\n" * 200_000, b"# x\n# GMT x\n# x\n" + b"1 1\n" * 100_000],
    "graphml": [b"<" * 300_000, b"<graphml " + b'a="1" ' * 50_000],
}


@pytest.mark.parametrize("fmt", SLOW_SHAPES)
def test_shapes_that_make_careless_parsers_quadratic_end_in_time(fmt):
    for data in SLOW_SHAPES[fmt]:
        within_limit(data, fmt, {})
        started = time.process_time()
        try:
            of_bytes(data, "x", "test")
        except SeedlotError as error:
            assert error.what
        assert time.process_time() - started < LIMIT_S


@pytest.mark.parametrize("fmt", sorted(FORMATS))
def test_the_format_of_mutated_bytes_is_a_known_one_or_a_message(fmt):
    rng = random.Random(f"seedlot detect {fmt}")
    for data, _ in SAMPLES[fmt]:
        for _ in range(5):
            try:
                assert of_bytes(mutate(data, rng), "x", "test") in FORMATS
            except SeedlotError as error:
                assert error.what


def test_the_mutations_are_neither_too_weak_nor_too_strong():
    rng = random.Random("seedlot strength")
    data = SAMPLES["matpower"][0][0]
    read = sum(within_limit(mutate(data, rng), "matpower", {}) for _ in range(100))
    assert 10 < read < 90


def peak(action):
    """Bytes at the peak of an action that may end in a SeedlotError, which is returned too."""
    tracemalloc.start()
    try:
        action()
        error = None
    except SeedlotError as caught:
        error = caught
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return size, error


HUGE = {
    "edgelist": b"0 2147483647\n2147483646 7\n",
    "edges": b"0,2147483647\n",
    "snap": b"1\t9223372036854775807\n",
    "konect": b"% sym unweighted\n% 2 1000000000000\n1 999999999999\n2 1\n",
}


@pytest.mark.parametrize("fmt", HUGE)
def test_a_huge_id_sizes_no_array(fmt):
    size, error = peak(lambda: read_data(HUGE[fmt], reader(fmt), {"format": fmt}, where="test"))
    assert size < 16 << 20 and (error is None or fmt == "konect")


DECLARED = {
    "mtx": b"%%MatrixMarket matrix coordinate pattern general\n1000000000000 1000000000000 1\n1 1\n",
    "metis": b"1000000000000 1\n2\n1\n",
    "gt": b"\xe2\x9b\xbe gt\x01\x00" + struct.pack("<Q", 0) + b"\0" + struct.pack("<QQ", 10**12, 0),
    "pajek": b"*Vertices 1000000000000\n*Edges\n1 2\n",
    "ucinet": b"DL N=1000000000000 FORMAT=EDGELIST1\nDATA:\n1 2\n",
    "npy": samples.npy(np.zeros((2, 2))).replace(b"(2, 2)", b"(9**9, 1)"),
    "tntp": samples.TNTP.replace(b"NODES> 4", b"NODES> 1000000000000"),
    "pyliteral": b"def f():\n    G = nx.Graph()\n    G.add_nodes_from(range(1000000000000))\n    G.add_edge(1, 2)\n",
    "rda": samples.rda().replace(struct.pack(">d", 4.0), struct.pack(">d", 1e12)),
}


@pytest.mark.parametrize("fmt", DECLARED)
def test_a_declared_size_of_ten_to_the_twelve_is_refused_before_it_is_allocated(fmt):
    size, error = peak(lambda: read_data(DECLARED[fmt], reader(fmt), {"format": fmt}, where="test"))
    assert size < 16 << 20 and error is not None and error.what


def zeros(pack):
    return pack(bytes(32 << 20))


def zstd(data):
    out = pyarrow.BufferOutputStream()
    with pyarrow.CompressedOutputStream(out, "zstd") as stream:
        stream.write(data)
    return out.getvalue().to_pybytes()


BOMBS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd,
    "zip": lambda data: samples.archive({"x.txt": data}),
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_decompression_bomb_stops_near_the_limit(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "RATIO_FREE", 1 << 20)
    monkeypatch.setattr(limits, "MAX_RATIO", 20)
    path = tmp_path / f"bomb.{kind}"
    path.write_bytes(zeros(BOMBS[kind]))
    size, error = peak(lambda: read_graphs(path, "edgelist"))
    assert error is not None and "bomb" in error.what
    assert size < 24 << 20


def test_a_mat_file_that_expands_beyond_the_limit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "RATIO_FREE", 1 << 20)
    monkeypatch.setattr(limits, "MAX_RATIO", 20)
    path = tmp_path / "bomb.mat"
    path.write_bytes(samples.mat(np.zeros((3000, 3000))))
    with pytest.raises(SeedlotError, match="bomb"):
        read_graphs(path, "mat")


@pytest.mark.parametrize("name", ["../x.txt", "/etc/x.txt", "a/../../x.txt", "..\\x.txt", "C:/x.txt"])
def test_an_archive_with_a_path_that_leaves_its_folder_is_refused(name, tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(samples.archive({name: b"1 2\n"}))
    with pytest.raises(SeedlotError, match="leaves its folder"):
        read_graphs(path, "edgelist")


def test_a_zip_link_and_an_encrypted_member_are_refused(tmp_path):
    path, info = tmp_path / "a.zip", zipfile.ZipInfo("x.txt")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(path, "w") as box:
        box.writestr(info, "/etc/passwd")
    with pytest.raises(SeedlotError, match="link"):
        read_graphs(path, "edgelist")
    raw = bytearray(samples.archive({"x.txt": b"1 2\n"}))
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(raw)
    with pytest.raises(SeedlotError, match="encrypted"):
        read_graphs(path, "edgelist")


def test_deeply_nested_input_ends_in_a_message():
    nested = {
        "pyliteral": b"def f():\n    x = " + b"(" * 5000 + b")" * 5000,
        "nodelink": b'{"links": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        "rda": b"RDX2\nX\n" + struct.pack(">iii", 2, 1, 1) + struct.pack(">i", 2) * 100_000,
        "gml": b"graph [ " + b"a [ " * 20_000,
        "graphml": b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">' + b"<graph>" * 5000,
    }
    for fmt, data in nested.items():
        started = time.process_time()
        assert within_limit(data, fmt, {}) in (True, False)
        assert time.process_time() - started < LIMIT_S
