"""Opening published files: every compression, choice of members, and clear refusals."""

import bz2
import gzip
import io
import lzma
import random
import tarfile

import graph_samples as samples
import pyarrow
import pytest

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs.open import read_bytes, sniff, unpack
from seedlot.formats.graphs.registry import read_graph

TEXT = b"1 2\n2 3\n3 1\n"


def zstd(data):
    out = pyarrow.BufferOutputStream()
    with pyarrow.CompressedOutputStream(out, "zstd") as stream:
        stream.write(data)
    return out.getvalue().to_pybytes()


def tar(members):
    """A tar of {name: bytes, or a link target as str}."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as box:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            if isinstance(data, str):
                info.type, info.linkname = tarfile.SYMTYPE, data
                box.addfile(info)
            else:
                info.size = len(data)
                box.addfile(info, io.BytesIO(data))
    return out.getvalue()


PACKED = {
    "plain": TEXT,
    "gz": gzip.compress(TEXT),
    "two gz members": gzip.compress(TEXT[:4]) + gzip.compress(TEXT[4:]),
    "bz2": bz2.compress(TEXT),
    "xz": lzma.compress(TEXT),
    "two xz streams": lzma.compress(TEXT[:4]) + lzma.compress(TEXT[4:]),
    "zst": zstd(TEXT),
    "zip": samples.archive({"a/net.txt": TEXT}),
    "tar": tar({"net.txt": TEXT}),
    "tar.gz": gzip.compress(tar({"net.txt": TEXT})),
    "tar.bz2": bz2.compress(tar({"net.txt": TEXT})),
    "zip with a gz inside": samples.archive({"net.txt.gz": gzip.compress(TEXT)}),
}


@pytest.mark.parametrize("kind", PACKED)
def test_each_compression_gives_the_same_bytes_whatever_the_name(kind, tmp_path):
    path = tmp_path / "net.dat"
    path.write_bytes(PACKED[kind])
    assert read_bytes(path) == TEXT
    graph = read_graph(path, "edgelist")
    assert (graph.n, graph.kept) == (3, 3)


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz", "zst", "zip", "tar.gz"])
def test_a_truncated_file_is_damage_with_the_file_named(kind, tmp_path):
    path = tmp_path / "net.dat"
    path.write_bytes(PACKED[kind][:-9])
    with pytest.raises(SeedlotError) as caught:
        read_bytes(path)
    assert str(path) in str(caught.value)


def test_a_stated_member_is_read_and_a_misspelt_one_names_the_nearest(tmp_path):
    path = tmp_path / "nets.zip"
    path.write_bytes(samples.archive({"one.txt": TEXT, "two.txt": b"7 8\n"}))
    assert read_graph(path, "edgelist", {"member": "two.txt"}).kept == 1
    with pytest.raises(SeedlotError, match="did you mean 'two.txt'"):
        read_graph(path, "edgelist", {"member": "twoo.txt"})
    with pytest.raises(SeedlotError, match="2 files that could be meant: one.txt, two.txt"):
        read_graph(path, "edgelist")


def test_the_pattern_of_the_format_chooses_among_members(tmp_path):
    path = tmp_path / "x.tar.bz2"
    path.write_bytes(bz2.compress(tar({"x/README.x": b"text", "x/out.x": samples.KONECT, "x/meta.x": b"t"})))
    graph = read_graph(path, "konect")
    assert graph.bipartite and graph.kept == 4


def test_macos_resource_members_are_not_candidates(tmp_path):
    path = tmp_path / "x.zip"
    path.write_bytes(samples.archive({"__MACOSX/._net.txt": b"junk", ".DS_Store": b"junk", "net.txt": TEXT}))
    assert read_graph(path, "edgelist").kept == 3


def test_a_link_in_a_tar_is_refused_and_so_is_a_climbing_path(tmp_path):
    path = tmp_path / "x.tar"
    path.write_bytes(tar({"net.txt": "/etc/passwd"}))
    with pytest.raises(SeedlotError, match="link or a device"):
        read_bytes(path)
    path.write_bytes(tar({"ok.txt": TEXT, "../../evil": TEXT}))
    with pytest.raises(SeedlotError, match="leaves its folder"):
        read_bytes(path)


def test_too_many_layers_of_compression_are_refused(tmp_path):
    data = TEXT
    for _ in range(6):
        data = gzip.compress(data)
    path = tmp_path / "x.gz"
    path.write_bytes(data)
    with pytest.raises(SeedlotError, match="layers"):
        read_bytes(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SeedlotError, match="no such file"):
        read_bytes(tmp_path / "nothing.gz")


def test_text_that_begins_like_bzip2_stays_text():
    assert sniff(b"BZhello world") is None


@pytest.mark.parametrize("kind", sorted(set(PACKED) - {"plain"}))
def test_mutated_archives_end_in_bytes_or_a_message(kind):
    rng = random.Random(kind)
    for _ in range(60):
        data = bytearray(PACKED[kind])
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            assert len(unpack(bytes(data), where="mutated")) < 1 << 20
        except SeedlotError as error:
            assert error.what
