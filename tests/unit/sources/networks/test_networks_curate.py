"""One shard from receipts to tables: contents, contracts, and what becomes of items that go wrong."""

import zlib
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from seedlot.catalog.manifest import Row
from seedlot.catalog.receipts import Receipt, write_receipt
from seedlot.config.errors import SeedlotError
from seedlot.contracts.check import check_file
from seedlot.contracts.model import contract
from seedlot.sources.networks import curate, index, simulate
from seedlot.store.job import Job

OUTPUTS = ("nets", "nodes", "edges", "links", "truth", "outcomes", "rejects")
PAJEK = (
    '*Vertices 5\r\n1 "b"\r\n2 "a"\r\n3 "c"\r\n4 "d"\r\n5 "alone"\r\n'
    '*Arcs :1 "likes"\r\n1 2 2.5\r\n2 1 -1\r\n3 3 1\r\n*Edges\r\n2 3\r\n3 4\r\n'
)


def row(item: str, fmt: str = "pajek", origin: str = "upstream", **extra: str) -> Row:
    url = (
        f"https://example.org/{item}"
        if origin == "upstream"
        else f"sim:ba?n=40&m=2&seed={zlib.crc32(item.encode())}"
    )
    return Row(item, origin, "1", url, licence="CC0", evidence="test", extra={"format": fmt, **extra})


def curate_files(
    root: Path, files: dict[str, bytes | str], rows: list[Row], shard: str = "b000"
) -> dict[str, Path]:
    """Run the job on files (bytes, or the status of a receipt line without a file) and return its outputs."""
    receipts = []
    for item, data in files.items():
        if isinstance(data, str):
            receipts.append(Receipt(item, "", None, "", "u", data, f"because of {data}"))
            continue
        (root / "raw").mkdir(parents=True, exist_ok=True)
        (root / "raw" / item).write_bytes(data)
        receipts.append(Receipt(item, f"raw/{item}", len(data), "ab" * 32, "u", "ok", ""))
    write_receipt(root / "receipt.tsv", receipts)
    output = {name: root / name / f"{shard}.parquet" for name in OUTPUTS}
    params = {"source": "networks", "rows": [one.to_dict() for one in rows]}
    curate.run(Job("c", {"receipts": root / "receipt.tsv"}, output, params, root=root, tmpdir=root / "tmp"))
    return output


def rows_of(path: Path) -> list[dict]:
    return pq.read_table(path).to_pylist()


def test_a_mixed_pajek_file_keeps_everything_in_links_and_the_simple_graph_apart(tmp_path):
    out = curate_files(tmp_path, {"toy": PAJEK.encode()}, [row("toy", title="Toy", domain="Social")])
    (net,) = rows_of(out["nets"])
    flags = {name: net[name] for name in net if name.startswith("is_")}
    assert flags == {
        "is_directed": True,
        "is_bipartite": False,
        "is_weighted": True,
        "is_signed": True,
        "is_temporal": False,
        "is_multi": False,
    }
    assert (net["n_raw"], net["links_raw"], net["n_components_raw"]) == (5, 5, 2)
    assert (net["loops_dropped"], net["dups_dropped"], net["n"], net["m"], net["max_degree"]) == (
        1,
        1,
        4,
        3,
        2,
    )
    assert (net["mean_degree"], net["clustering"], net["evidence"], net["family"]) == (
        1.5,
        0.0,
        "real",
        "toy",
    )
    assert [(e["src"], e["dst"]) for e in rows_of(out["edges"])] == [(0, 1), (1, 2), (2, 3)]
    assert [(n["label"], n["raw_index"], n["degree"]) for n in rows_of(out["nodes"])] == [
        ("b", 0, 1),
        ("a", 1, 2),
        ("c", 2, 2),
        ("d", 3, 1),
    ]
    links = rows_of(out["links"])
    assert [(k["src_label"], k["dst_label"], k["weight"], k["is_directed"]) for k in links[:3]] == [
        ("b", "a", 2.5, True),
        ("a", "b", -1.0, True),
        ("c", "c", 1.0, True),
    ]
    assert [k["relation"] for k in links] == ["likes", "likes", "likes", None, None]
    assert rows_of(out["outcomes"])[0] | {"seconds": 0} == {
        "item": "toy", "status": "ok", "reason": "", "read": 5, "kept": 5, "rejected": 0, "seconds": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("data", "status", "reason"),
    [
        (b"*Vertices 2\n*Edges\n1 2\n", "rejected", "too small: largest component has 2 nodes and 1 links"),
        (b"<html>not a network</html>", "rejected", ""),
        ("no_access", "no_access", "not fetched: because of no_access"),
        ("missing", "failed", "not fetched: because of missing"),
        ("failed", "failed", "not fetched: because of failed"),
    ],
    ids=["too small", "not the format", "no access", "missing at the source", "fetch failed"],
)
def test_an_item_that_goes_wrong_is_a_row_and_leaves_the_others(tmp_path, data, status, reason):
    files = {"a": PAJEK.encode(), "bad": data, "z": PAJEK.encode()}
    out = curate_files(tmp_path, files, [row(item) for item in files])
    outcomes = {one["item"]: one for one in rows_of(out["outcomes"])}
    assert {item: one["status"] for item, one in outcomes.items()} == {"a": "ok", "bad": status, "z": "ok"}
    assert outcomes["bad"]["reason"].startswith(reason)
    assert outcomes["bad"]["reason"]
    for name in ("nets", "nodes", "edges", "links"):
        assert {one["net_id"] for one in rows_of(out[name])} == {"a", "z"}


def test_an_unexpected_error_of_a_reader_fails_its_item_only(tmp_path, monkeypatch):
    sound = curate.read_graph

    def breaks(path, fmt, args):  # fmt: skip
        if path.name == "bad":
            raise ZeroDivisionError("division by zero")
        return sound(path, fmt, args)

    monkeypatch.setattr(curate, "read_graph", breaks)
    out = curate_files(tmp_path, {"bad": b"", "good": PAJEK.encode()}, [row("bad"), row("good")])
    bad, good = rows_of(out["outcomes"])
    assert (bad["status"], bad["reason"], good["status"]) == (
        "failed",
        "ZeroDivisionError: division by zero",
        "ok",
    )


def test_refused_records_are_listed_with_line_and_reason_and_the_balance_holds(tmp_path):
    text = "*Vertices 4\n*Edges\n1 2\n2 99\n2 3\n3 4\n"
    out = curate_files(tmp_path, {"toy": text.encode()}, [row("toy")])
    (item,) = rows_of(out["outcomes"])
    assert (item["status"], item["read"], item["kept"], item["rejected"]) == ("ok", 4, 3, 1)
    (reject,) = rows_of(out["rejects"])
    assert (reject["item"], reject["file"], reject["line"], reject["text"]) == ("toy", "raw/toy", 4, "2 99")


def test_a_manifest_row_without_a_receipt_stops_the_job(tmp_path):
    with pytest.raises(SeedlotError, match="no receipt lists item 'b'"):
        curate_files(tmp_path, {"a": PAJEK.encode()}, [row("a"), row("b")])
    assert not list((tmp_path / "tmp").iterdir()), "scratch files are removed"


def test_two_jobs_at_once_may_share_one_scratch_folder(tmp_path, monkeypatch):
    sound, shared = curate.read_graph, tmp_path / "tmp"
    rival = {name: tmp_path / "rival" / name / "b000.parquet" for name in OUTPUTS}

    def meanwhile(path, fmt, args):
        monkeypatch.setattr(curate, "read_graph", sound)
        receipt, params = tmp_path / "receipt.tsv", {"source": "networks", "rows": [row("toy").to_dict()]}
        curate.run(Job("c", {"receipts": receipt}, rival, params, root=tmp_path, tmpdir=shared))
        return sound(path, fmt, args)

    monkeypatch.setattr(curate, "read_graph", meanwhile)
    out = curate_files(tmp_path, {"toy": PAJEK.encode()}, [row("toy")])
    assert [rows_of(out[name]) for name in curate.TABLES] == [rows_of(rival[name]) for name in curate.TABLES]
    assert len(rows_of(out["edges"])) == 3
    assert not list(shared.iterdir())


def test_a_synthetic_test_system_of_a_publisher_is_not_real_evidence(tmp_path):
    out = curate_files(tmp_path, {"grid": PAJEK.encode()}, [row("grid", kind="synthetic")])
    assert rows_of(out["nets"])[0]["evidence"] == "simulated"


def simulated(root: Path, formats: dict[str, str], shard: str = "b000") -> dict[str, Path]:
    rows = [row(item, fmt, "simulated", kind="synthetic") for item, fmt in formats.items()]
    params = {"source": "networks", "rows": [one.to_dict() for one in rows]}
    receipt = root / f"{shard}.tsv"
    simulate.run(Job("s", {}, {"receipt": receipt}, params, root=root))
    output = {name: root / name / f"{shard}.parquet" for name in OUTPUTS}
    curate.run(Job("c", {"receipts": [receipt]}, output, params, root=root, tmpdir=root / "tmp"))
    return output


def test_the_tables_keep_their_contracts_and_two_runs_write_the_same_bytes(tmp_path):
    formats = {"one": "gt", "three": "snap", "two": "graphml"}
    out, again = simulated(tmp_path / "x", formats), simulated(tmp_path / "y", formats)
    for name, table in curate.TABLES.items():
        checks = check_file(contract(table), out[name])
        assert checks
        assert [check for check in checks if check["violations"]] == []
        assert out[name].read_bytes() == again[name].read_bytes()
    assert {one["net_id"] for one in rows_of(out["truth"])} == set(formats)
    labels = {(one["net_id"], one["label"]) for one in rows_of(out["truth"])}
    assert {(one["net_id"], one["label"]) for one in rows_of(out["nodes"])} <= labels


def test_batches_smaller_than_a_network_change_nothing(tmp_path, monkeypatch):
    whole = simulated(tmp_path / "x", {"one": "gt"})
    monkeypatch.setattr(curate, "BATCH_ROWS", 7)
    parts = simulated(tmp_path / "y", {"one": "gt"})
    assert all(whole[name].read_bytes() == parts[name].read_bytes() for name in curate.TABLES)


# ---- index: all shards together ----------------------------------------------------------------------


def published(root: Path, shards: list[dict[str, Path]]) -> dict[str, dict]:
    inputs = {name: [shard[name] for shard in shards] for name in ("nets", "edges")}
    index.run(Job("i", inputs, {"nets": root / "all.parquet"}, root=root))
    return {net["net_id"]: net for net in rows_of(root / "all.parquet")}


def ring(n: int, order: list[int]) -> bytes:
    """A ring with a chord and a tail, its nodes written in the given order."""
    links = [(i, (i + 1) % (n - 1)) for i in range(n - 1)] + [(0, 4), (2, n - 1)]
    return f"*Vertices {n}\n*Edges\n".encode() + b"".join(
        b"%d %d\n" % (order[i] + 1, order[j] + 1) for i, j in links
    )


def test_equal_networks_of_two_shards_are_one_original_and_its_duplicate_in_one_family(tmp_path):
    n = 20
    shuffled = [(7 * i + 3) % n for i in range(n)]
    files = {"b_copy": ring(n, shuffled), "c_other": ring(n + 1, list(range(n + 1)))}
    one = curate_files(tmp_path / "1", {"a_first": ring(n, list(range(n)))}, [row("a_first", family="rings")])
    two = curate_files(tmp_path / "2", files, [row("b_copy", family="circles"), row("c_other")], shard="b001")
    nets = published(tmp_path, [one, two])
    assert nets["a_first"]["sha256_edges"] != nets["b_copy"]["sha256_edges"]
    assert {item: net["duplicate_of"] for item, net in nets.items()} == {
        "a_first": None,
        "b_copy": "a_first",
        "c_other": None,
    }
    assert {item: net["family"] for item, net in nets.items()} == {
        "a_first": "circles",
        "b_copy": "circles",
        "c_other": "c_other",
    }
    checks = check_file(contract("core_networks__nets"), tmp_path / "all.parquet")
    assert [check for check in checks if check["violations"]] == []


def test_a_small_duplicate_is_marked_but_keeps_its_family(tmp_path):
    files = {item: b"*Vertices 4\n*Edges\n1 2\n2 3\n3 4\n" for item in ("a", "b")}
    nets = published(tmp_path, [curate_files(tmp_path, files, [row("a"), row("b")])])
    assert (nets["b"]["duplicate_of"], nets["b"]["family"]) == ("a", "b")


def test_a_real_network_is_the_original_of_a_synthetic_copy(tmp_path):
    files = {item: ring(18, list(range(18))) for item in ("a", "b")}
    out = curate_files(tmp_path, files, [row("a", kind="synthetic"), row("b")])
    assert published(tmp_path, [out])["a"]["duplicate_of"] == "b"


def test_families_join_through_a_chain_of_duplicates():
    nets = [
        {"net_id": item, "family": f, "n": 20} for item, f in (("a", "x"), ("b", "y"), ("c", "z"), ("d", "y"))
    ]
    joined = index.join_families(nets, {"b": "a", "c": "b"})
    assert joined == {"x": "x", "y": "x", "z": "x"}


def test_a_network_in_two_shards_is_refused(tmp_path):
    one = curate_files(tmp_path / "1", {"a": PAJEK.encode()}, [row("a")])
    two = curate_files(tmp_path / "2", {"a": PAJEK.encode()}, [row("a")], shard="b001")
    with pytest.raises(SeedlotError, match="'a' is in two shards"):
        published(tmp_path, [one, two])


def test_links_that_are_not_those_of_the_table_are_refused(tmp_path):
    one = curate_files(tmp_path / "1", {"a": PAJEK.encode()}, [row("a")])
    two = curate_files(tmp_path / "2", {"a": ring(9, list(range(9)))}, [row("a")])
    with pytest.raises(SeedlotError, match="are not 3 rows"):
        published(tmp_path, [one | {"edges": two["edges"]}])
