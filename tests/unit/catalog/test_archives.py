"""Archives that mean harm, and pinned wheels."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from seedlot.catalog.archives import MemberAbsent, extract_member, list_members
from seedlot.catalog.http import Permanent, Transient
from seedlot.catalog.limits import Limits
from seedlot.catalog.manifest import Row
from seedlot.catalog.packaged import Wheels, load_pins
from seedlot.catalog.wheels import bring, main
from seedlot.config.errors import SeedlotError

LIMITS = Limits()
WHEEL = "tiny_data-1.0-py3-none-any.whl"


def zipped(path, members, **infos):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, body in members.items():
            pack.writestr(infos.get(name, name), body)
    return path


def tarred(path, *entries, mode="w:gz"):
    with tarfile.open(path, mode) as pack:
        for info, body in entries:
            info.size = len(body)
            pack.addfile(info, io.BytesIO(body))
    return path


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_tar_members_are_listed_and_read(tmp_path, mode):
    path = tarred(
        tmp_path / "a.tar", (tarfile.TarInfo("./d/x"), b"X"), (tarfile.TarInfo("y"), b"YY"), mode=mode
    )
    assert [(one.name, one.bytes) for one in list_members(path, LIMITS)] == [("d/x", 1), ("y", 2)]
    extract_member(path, "d/x", tmp_path / "out", LIMITS)
    assert (tmp_path / "out").read_bytes() == b"X"


def test_names_that_escape_are_neither_listed_nor_read(tmp_path):
    path = zipped(tmp_path / "a.zip", {"../evil": b"x", "/abs": b"x", "ok": b"x"})
    assert [one.name for one in list_members(path, LIMITS)] == ["ok"]
    for name in ("../evil", "/abs"):
        with pytest.raises(SeedlotError, match="not a safe relative path"):
            extract_member(path, name, tmp_path / "out" / "x", LIMITS)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.zip"]


def test_links_and_devices_are_refused(tmp_path):
    kinds = {
        "soft": tarfile.SYMTYPE,
        "hard": tarfile.LNKTYPE,
        "pipe": tarfile.FIFOTYPE,
        "dev": tarfile.CHRTYPE,
    }
    entries = []
    for name, kind in kinds.items():
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, "/etc/passwd"
        entries.append((info, b""))
    path = tarred(tmp_path / "a.tar.gz", *entries)
    assert list_members(path, LIMITS) == []
    for name in kinds:
        with pytest.raises(SeedlotError, match="link, folder or device"):
            extract_member(path, name, tmp_path / "out", LIMITS)
    assert not (tmp_path / "out").exists()


def test_symlink_in_a_zip_is_refused(tmp_path):
    info = zipfile.ZipInfo("soft")
    info.external_attr = 0o120777 << 16
    path = zipped(tmp_path / "a.zip", {"soft": b"/etc/passwd"}, soft=info)
    with pytest.raises(SeedlotError, match="link, folder or device"):
        extract_member(path, "soft", tmp_path / "out", LIMITS)


def test_member_above_the_limit_is_refused_before_reading(tmp_path):
    path = zipped(tmp_path / "a.zip", {"big": b"\0" * 5000})
    with pytest.raises(SeedlotError, match="declares 5000 bytes, limit 1000"):
        extract_member(path, "big", tmp_path / "out", Limits(max_member_bytes=1000))


def test_expansion_beyond_the_ratio_is_refused(tmp_path):
    path = zipped(tmp_path / "a.zip", {"bomb": b"\0" * 3_000_000})
    with pytest.raises(SeedlotError, match="limit 2097152"):
        extract_member(path, "bomb", tmp_path / "out", Limits(max_member_ratio=2))


def test_member_larger_than_it_declares_is_caught(tmp_path):
    path = zipped(tmp_path / "a.zip", {"liar": b"\0" * 5000})
    raw = path.read_bytes().replace((5000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    path.write_bytes(raw)
    with pytest.raises(SeedlotError):
        extract_member(path, "liar", tmp_path / "out", LIMITS)
    assert [one.name for one in tmp_path.iterdir()] == ["a.zip"]


def test_member_shorter_than_it_declares_is_caught(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as pack:
        pack.writestr("liar", b"x" * 5000)
    raw = bytearray(path.read_bytes())
    size_in_directory = raw.rindex(b"PK\x01\x02") + 24
    raw[size_in_directory : size_in_directory + 4] = (6000).to_bytes(4, "little")
    path.write_bytes(raw)
    with pytest.raises(SeedlotError, match="has 5000 bytes, declares 6000"):
        extract_member(path, "liar", tmp_path / "out", LIMITS)


def test_compressed_tar_bomb_stops_at_the_sum_of_sizes(tmp_path):
    info = tarfile.TarInfo("bomb")
    info.size = 1 << 40
    path = tmp_path / "a.tar.gz"
    path.write_bytes(gzip.compress(info.tobuf() + b"\0" * 1_000_000))
    with pytest.raises(SeedlotError, match="declares 1099511627776 bytes"):
        list_members(path, LIMITS)


def test_huge_extended_header_is_refused_not_allocated(tmp_path):
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 1 << 32
    path = tmp_path / "a.tar.bz2"
    path.write_bytes(bz2.compress(info.tobuf(format=tarfile.USTAR_FORMAT) + b"\0" * 10_000))
    with pytest.raises(SeedlotError, match="a header declares 4294967296 bytes"):
        list_members(path, LIMITS)


def test_too_many_members_are_refused(tmp_path):
    path = zipped(tmp_path / "a.zip", {str(k): b"" for k in range(11)})
    with pytest.raises(SeedlotError, match="more than 10 members"):
        list_members(path, Limits(max_members=10))


@pytest.mark.parametrize("body", [b"", b"no archive at all", b"PK\x03\x04broken", b"\x1f\x8b\x08\x00broken"])
def test_what_is_no_archive_is_said(tmp_path, body):
    (tmp_path / "a").write_bytes(body)
    with pytest.raises(SeedlotError, match="not a readable zip or tar"):
        list_members(tmp_path / "a", LIMITS)


def test_damaged_members_are_errors_never_short_files(tmp_path):
    good = zipped(tmp_path / "a.zip", {"x": bytes(range(256)) * 40}).read_bytes()
    packed = tarred(tmp_path / "a.tgz", (tarfile.TarInfo("x"), bytes(range(256)) * 40)).read_bytes()
    for raw in (good, packed):
        for position in range(20, len(raw), 7):
            (tmp_path / "b").write_bytes(raw[:position] + bytes([raw[position] ^ 0x55]) + raw[position + 1 :])
            try:
                extract_member(tmp_path / "b", "x", tmp_path / "out", LIMITS)
            except SeedlotError:
                continue
            assert (tmp_path / "out").stat().st_size == 256 * 40


def test_absent_member_names_the_nearest(tmp_path):
    path = zipped(tmp_path / "a.zip", {"data/karate.txt": b"x"})
    with pytest.raises(MemberAbsent, match="nearest name is 'data/karate.txt'"):
        extract_member(path, "data/karat.txt", tmp_path / "out", LIMITS)


def pinned(tmp_path, members=None):
    wheel = zipped(tmp_path / WHEEL, members or {"tiny/a.gml": b"graph []"})
    body = wheel.read_bytes()
    table = tmp_path / "wheels.tsv"
    line = ["tiny-data", "1.0", WHEEL, str(len(body)), hashlib.sha256(body).hexdigest(), "MIT"]
    table.write_text("distribution\tversion\tfilename\tbytes\tsha256\tlicence\n" + "\t".join(line) + "\n")
    return wheel, table


def member(name="tiny/a.gml", body=b"graph []"):
    digest = hashlib.sha256(body).hexdigest()
    url = "pypi:tiny-data==1.0"
    return Row("a", "packaged", "1.0", url, WHEEL, name, len(body), digest, licence="MIT", evidence="wheel")


def test_member_of_a_pinned_wheel_is_read(tmp_path):
    _, table = pinned(tmp_path)
    got = Wheels(tmp_path, load_pins(table), LIMITS).read(member(), tmp_path / "out")
    assert got.bytes == 8 and (tmp_path / "out").read_bytes() == b"graph []"


def test_missing_wheel_names_make_env(tmp_path):
    wheel, table = pinned(tmp_path)
    wheel.unlink()
    with pytest.raises(Transient, match="run `make env`"):
        Wheels(tmp_path, load_pins(table), LIMITS).read(member(), tmp_path / "out")


def test_changed_wheel_is_not_read(tmp_path):
    wheel, table = pinned(tmp_path)
    wheel.write_bytes(wheel.read_bytes().replace(b"tiny", b"tinx"))
    with pytest.raises(Transient, match="another sha256"):
        Wheels(tmp_path, load_pins(table), LIMITS).read(member(), tmp_path / "out")


@pytest.mark.parametrize(
    "row, status, message",
    [
        (member(name="tiny/b.gml"), "missing", "nearest name is 'tiny/a.gml'"),
        (member(body=b"graph {}"), "failed", "expected sha256"),
    ],
)
def test_absent_or_other_member_is_permanent(tmp_path, row, status, message):
    _, table = pinned(tmp_path)
    with pytest.raises(Permanent, match=message) as caught:
        Wheels(tmp_path, load_pins(table), LIMITS).read(row, tmp_path / "out")
    assert caught.value.status == status and not (tmp_path / "out").exists()


def test_wheel_that_is_not_pinned_is_permanent(tmp_path):
    with pytest.raises(Permanent, match="not among the pins"):
        Wheels(tmp_path, {}, LIMITS).read(member(), tmp_path / "out")


@pytest.mark.parametrize(
    "old, new, message",
    [
        (WHEEL, "../x.whl", "not a wheel's file name"),
        ("\t1.0\t", "\t1.1\t", "is not version"),
        ("tiny-data", "-r x", "needs a distribution"),
        ("\tMIT", "\t", "needs a distribution and its licence"),
    ],
)
def test_bad_pins_are_refused_with_their_line(tmp_path, old, new, message):
    _, table = pinned(tmp_path)
    table.write_text(table.read_text().replace(old, new))
    with pytest.raises(SeedlotError, match=message) as caught:
        load_pins(table)
    assert "wheels.tsv:2" in str(caught.value)


def fake_pip(source, calls, code=0, stderr=""):
    def run(command):
        calls.append(command)
        if source is not None:
            folder = command[command.index("-d") + 1]
            (Path(folder) / source.name).write_bytes(source.read_bytes())
        return subprocess.CompletedProcess(command, code, "", stderr)

    return run


def test_pins_are_brought_once_and_not_again(tmp_path):
    wheel, table = pinned(tmp_path)
    pins, calls, said = list(load_pins(table).values()), [], []
    assert bring(tmp_path / "w", pins, said.append, fake_pip(wheel, calls)) == 1
    assert bring(tmp_path / "w", pins, said.append, fake_pip(wheel, calls)) == 0
    assert (
        len(calls) == 1
        and "tiny-data==1.0" in calls[0]
        and {"--no-deps", "--only-binary=:all:"} <= set(calls[0])
    )
    assert [one.name for one in (tmp_path / "w").iterdir()] == [WHEEL]


def test_other_bytes_from_pip_are_refused(tmp_path):
    wheel, table = pinned(tmp_path)
    pins = list(load_pins(table).values())
    zipped(wheel, {"tiny/a.gml": b"other"})
    with pytest.raises(SeedlotError, match="pip brought other bytes than pinned"):
        bring(tmp_path / "w", pins, lambda line: None, fake_pip(wheel, []))
    assert list((tmp_path / "w").iterdir()) == []


@pytest.mark.parametrize(
    "stderr, message",
    [
        (
            "WARNING: Retrying after NewConnectionError\nERROR: No matching distribution",
            "cannot reach its package index",
        ),
        ("ERROR: No matching distribution found for tiny-data==1.0", "could not download the pinned wheels"),
    ],
)
def test_pips_failure_is_explained(tmp_path, stderr, message):
    _, table = pinned(tmp_path)
    with pytest.raises(SeedlotError, match=message):
        bring(
            tmp_path / "w", list(load_pins(table).values()), lambda line: None, fake_pip(None, [], 1, stderr)
        )


def test_command_line_is_quiet_when_nothing_is_to_do(tmp_path, capsys):
    _, table = pinned(tmp_path)
    assert main([str(tmp_path), "--pins", str(table)]) == 0
    assert "all 1 pinned wheels" in capsys.readouterr().err
    assert main([str(tmp_path), "--pins", str(tmp_path / "none.tsv")]) == 1
    assert "does not exist" in capsys.readouterr().err
