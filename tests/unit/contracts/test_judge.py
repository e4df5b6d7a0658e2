"""The judge: verdicts as functions of data and contracts, offline, and the gate in front of consumers."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from seedlot.config.errors import SeedlotError
from seedlot.contracts import check, gate, judge
from seedlot.contracts.accept import accept
from seedlot.contracts.suite import Measure
from seedlot.contracts.suite import judge as judge_measures
from seedlot.store.rejects import write_items

TABLES = ["core_toy__edges", "core_toy__nodes"]


def verdict_of(world, shards: dict[str, tuple[list, list]], items=None, expected=None) -> dict:
    """Write shards (name -> nodes, edges), check each, judge all; the verdict, with its bytes under `raw`."""
    files = {t: [] for t in TABLES}
    checks = []
    for name, (nodes, edges) in shards.items():
        mine = {
            "core_toy__nodes": world.shard("core_toy__nodes", name, nodes),
            "core_toy__edges": world.shard("core_toy__edges", name, edges),
        }
        checks.append(world.root / "checks" / f"{name}.parquet")
        world.run(check.run, mine, {"checks": checks[-1]}, tables=TABLES)
        for table, path in mine.items():
            files[table].append(path)
    inputs = {"checks": checks, **files}
    if items is not None:
        write_items(world.root / "items.parquet", items)
        inputs["outcomes"] = [world.root / "items.parquet"]
    if expected is not None:
        inputs["expected"] = expected
    outputs = {"verdict": world.root / "verdict.json", "docs": world.root / "verdict.html"}
    world.run(judge.run, inputs, outputs, subject="toy", run="demo", tables=TABLES)
    raw = outputs["verdict"].read_bytes()
    return json.loads(raw) | {"raw": raw}


def failed(verdict: dict, table: str) -> dict:
    return {f"{c['check']} {c['subject']}".strip(): c for c in verdict["tables"][table]["failed"]}


def good(world, nets="ab") -> tuple[list, list]:
    return [n for x in nets for n in world.nodes(x, 4)], [e for x in nets for e in world.star(x, 4)]


def test_good_tables_pass_with_lot_rows_and_column_ranges(world):
    verdict = verdict_of(
        world, {"b0": good(world)}, items=[{"item": "a", "status": "ok", "read": 7, "kept": 7}]
    )
    assert verdict["status"] == "pass"
    edges = verdict["tables"]["core_toy__edges"]
    assert edges["contract"] == "core_toy__edges@2.1.0" and edges["rows"] == 6 and len(edges["lot"]) == 64
    assert edges["columns"]["dst"] == {"nulls": 0, "min": 1.0, "max": 3.0}
    assert verdict["items"]["status"]["ok"] == 1 and verdict["items"]["read"] == 7
    assert gate.require_pass(world.root / "verdict.json", TABLES) == {
        t: verdict["tables"][t]["lot"] for t in TABLES
    }


def test_another_split_into_shards_gives_the_same_verdict_bytes_and_leaves_no_stale_shard(world):
    one = verdict_of(world, {"b0": good(world, "a"), "b1": good(world, "b"), "b2": good(world, "c")})
    two = verdict_of(world, {"b0": good(world, "ac"), "b1": good(world, "b")})
    assert one["raw"] == two["raw"]
    assert sorted(p.name for p in (world.root / "core_toy__edges").glob("*.parquet")) == [
        "b0.parquet",
        "b1.parquet",
    ]


def test_time_measurements_do_not_reach_the_verdict(world):
    nodes, edges = good(world)
    one = verdict_of(world, {"b0": (nodes, edges)})
    two = verdict_of(world, {"b0": ([n | {"seconds": n["seconds"] + 9} for n in nodes], edges)})
    assert one["raw"] == two["raw"]


def test_broken_promises_fail_with_samples_and_stop_the_gate(world):
    nodes, edges = good(world)
    edges += [
        {"net": "b", "src": 3, "dst": 2, "weight": 50.0},
        {"net": "zz", "src": 0, "dst": 1, "weight": 1.0},
    ]
    verdict = verdict_of(world, {"b0": (nodes, sorted(edges, key=lambda e: (e["net"], e["src"], e["dst"])))})
    found = failed(verdict, "core_toy__edges")
    assert set(found) == {
        "rule src_lt_dst",
        "reference net, src -> core_toy__nodes",
        "reference net, dst -> core_toy__nodes",
    }
    assert found["rule src_lt_dst"]["samples"] == ['["b", 3, 2]']
    assert found["rule src_lt_dst"]["seen"] == pytest.approx(1 / 8)
    assert found["reference net, dst -> core_toy__nodes"]["samples"] == ['["zz", 1]']
    assert verdict["tables"]["core_toy__nodes"]["status"] == "pass" and verdict["status"] == "fail"
    with pytest.raises(SeedlotError, match=r"'core_toy__edges' did not pass(.|\n)*do: "):
        gate.require_pass(world.root / "verdict.json")
    assert gate.require_pass(world.root / "verdict.json", ["core_toy__nodes"])
    with pytest.raises(SeedlotError, match="did you mean 'core_toy__nodes'"):
        gate.require_pass(world.root / "verdict.json", ["core_toy__node"])


def test_a_rule_within_its_tolerance_passes_and_beyond_it_fails(world):
    nodes = world.nodes("a", 13)
    verdict = verdict_of(world, {"b0": (nodes, world.star("a", 13))})  # lengths 10, 11, 12 of 1..12: 3 of 12
    assert verdict["status"] == "pass"
    verdict = verdict_of(world, {"b0": (nodes, world.star("a", 13)[1:])})  # 3 of 11
    assert set(failed(verdict, "core_toy__edges")) == {"rule mostly_short"}


def test_a_key_in_two_shards_has_no_lot_and_fails(world):
    nodes, edges = good(world, "a")
    verdict = verdict_of(world, {"b0": (nodes, edges), "b1": (nodes[:1], edges[:1])})
    found = failed(verdict, "core_toy__edges")["key_unique"]
    assert (found["seen"], found["samples"]) == (1, ['["a", 0, 1]'])
    assert verdict["tables"]["core_toy__edges"]["lot"] is None


def test_references_are_met_by_rows_in_other_shards(world):
    verdict = verdict_of(
        world, {"b0": (world.nodes("a", 4), []), "b1": (world.nodes("b", 2), world.star("a", 4))}
    )
    assert verdict["status"] == "pass"


@pytest.mark.parametrize(
    ("items", "limit"),
    [
        ([{"item": "a", "status": "ok", "read": 10, "kept": 8, "rejected": 2}], "limit max_reject_share"),
        (
            [{"item": "a", "status": "ok"}, {"item": "b", "status": "failed", "reason": "bug"}],
            "limit max_failed_share",
        ),
    ],
)
def test_ceilings_on_rejects_and_items_stop_the_tables_that_state_them(world, items, limit):
    verdict = verdict_of(world, {"b0": good(world)}, items=items)
    assert set(failed(verdict, "core_toy__nodes")) == {limit}
    assert verdict["tables"]["core_toy__edges"]["status"] == "pass"


def test_a_changed_count_fails_until_it_is_accepted(world, tmp_path):
    expected = tmp_path / "demo.tsv"
    accept(expected, "core_toy__edges", 5, reason="first release", date="2026-01-02")
    verdict = verdict_of(world, {"b0": good(world)}, expected=expected)
    found = failed(verdict, "core_toy__edges")["expected rows"]
    assert (found["seen"], found["expected"]) == (6, "5") and "seedlot accept" in found["todo"]
    accept(expected, "core_toy__edges", 6, reason="one network more", date="2026-01-03")
    verdict = verdict_of(world, {"b0": good(world)}, expected=expected)
    assert verdict["status"] == "pass"
    lot = verdict["tables"]["core_toy__edges"]["lot"]
    accept(expected, "core_toy__edges", 6, reason="pin the content", date="2026-01-04", lot=lot)
    assert verdict_of(world, {"b0": good(world)}, expected=expected)["status"] == "pass"
    nodes, edges = good(world)
    edges[0]["weight"] = 2.5
    assert set(failed(verdict_of(world, {"b0": (nodes, edges)}, expected=expected), "core_toy__edges")) == {
        "expected lot"
    }


def test_a_check_table_that_does_not_belong_is_an_error(world):
    path = world.shard("core_toy__nodes", "b0", world.nodes("a", 3))
    world.run(
        check.run, {"core_toy__nodes": path}, {"checks": world.root / "c.parquet"}, tables=["core_toy__nodes"]
    )
    other = world.shard("core_toy__nodes", "b1", world.nodes("b", 3))
    outputs = {"verdict": world.root / "v.json"}
    inputs = {"checks": [world.root / "c.parquet"], "core_toy__nodes": [path, other]}
    with pytest.raises(SeedlotError, match="differ in b1"):
        world.run(judge.run, inputs, outputs, subject="toy", run="demo", tables=["core_toy__nodes"])
    world.shard("core_toy__nodes", "b0", world.nodes("a", 4))
    with pytest.raises(SeedlotError, match="has changed since it was checked"):
        world.run(
            judge.run,
            inputs | {"core_toy__nodes": [path]},
            outputs,
            subject="toy",
            run="demo",
            tables=["core_toy__nodes"],
        )
    assert not outputs["verdict"].exists()


def test_a_reference_without_the_files_of_its_table_says_which_input_is_missing(world):
    path = world.shard("core_toy__edges", "b0", world.star("a", 3))
    world.run(
        check.run, {"core_toy__edges": path}, {"checks": world.root / "c.parquet"}, tables=["core_toy__edges"]
    )
    inputs = {"checks": world.root / "c.parquet", "core_toy__edges": path}
    with pytest.raises(SeedlotError, match="add core_toy__nodes to the inputs"):
        world.run(
            judge.run,
            inputs,
            {"verdict": world.root / "v.json"},
            subject="t",
            run="r",
            tables=["core_toy__edges"],
        )


def test_the_page_escapes_data_and_asks_for_nothing_from_elsewhere(world):
    nodes, edges = good(world)
    edges.append({"net": "<img src=x>", "src": 1, "dst": 0, "weight": 1.0})
    verdict_of(world, {"b0": (nodes, sorted(edges, key=lambda e: (e["net"], e["src"])))})
    text = (world.root / "verdict.html").read_text()
    assert "&lt;img src=x&gt;" in text and "<img" not in text
    assert "http" not in text and "<script" not in text and 'src="' not in text
    assert text.count("<table>") == text.count("</table>") == 4


def test_files_outside_a_folder_of_the_tables_name_are_never_deleted(tmp_path):
    (tmp_path / "shared").mkdir()
    for name in ("mine", "other"):
        (tmp_path / "shared" / f"{name}.parquet").write_text("x")
    assert judge.drop_stale("core_toy__edges", [tmp_path / "shared" / "mine.parquet"]) == []
    assert (tmp_path / "shared" / "other.parquet").exists()


def test_parts_of_a_former_bucket_count_are_deleted_whole(tmp_path):
    table, work = tmp_path / "core_toy__fields", tmp_path / "_work" / "toy" / "checks"
    for folder, names in ((table, ["b000.json", "b001.json"]), (work, ["b000.parquet", "b001.parquet"])):
        folder.mkdir(parents=True)
        for name in names:
            (folder / name).write_text("x")
    for name in ("b000.zarr", "b001.zarr"):
        (table / name / "u" / "c").mkdir(parents=True)
    (table / "README").write_text("mine")
    assert judge.drop_stale("core_toy__fields", [table / "b000.json"]) == ["b001.json", "b001.zarr"]
    assert sorted(p.name for p in table.iterdir()) == ["README", "b000.json", "b000.zarr"]
    assert judge.drop_stale("toy", [work / "b001.parquet"]) == ["b000.parquet"]


def test_bounds_are_inclusive_and_text_is_compared_whole():
    measures = [
        Measure("a", "", "", 0.05, "", high=0.05),
        Measure("b", "", "", 0.0500001, "", high=0.05),
        Measure("c", "", "", 2**53 - 1, "", low=2**53 - 1, high=2**53 - 1),
        Measure("d", "", "", 3, "", low=4, high=4),
        Measure("e", "", "", "abc", "", equals="abc"),
        Measure("f", "", "", "abcd", "", equals="abc"),
        Measure("g", "x < 'y' -> z", "", 0, ""),
    ]
    assert judge_measures({"t": measures}) == {"t": [True, False, True, False, True, False, True]}


def test_a_measure_that_is_not_known_is_an_error_not_a_pass():
    with pytest.raises(RuntimeError, match="not distinct or not known"):
        judge_measures({"t": [Measure("a", "", "", float("nan"), "")]})


def test_judging_opens_no_socket_and_turns_usage_statistics_off_before_the_import():
    code = """
        import os, socket, sys
        def refuse(*args, **kwargs):
            raise AssertionError(f"socket opened: {args}")
        socket.socket.connect = socket.socket.connect_ex = socket.create_connection = socket.getaddrinfo = refuse
        seen = []
        class Watch:
            def find_spec(name, path=None, target=None):
                if name == "great_expectations":
                    seen.append(os.environ.get("GX_ANALYTICS_ENABLED"))
        sys.meta_path.insert(0, Watch)
        from seedlot.contracts.suite import Measure, judge
        assert judge({"t": [Measure("a", "", "", 0, ""), Measure("b", "", "", 1, "")]}) == {"t": [True, False]}
        print(seen)
    """
    source = str(Path(__file__).resolve().parents[3] / "src")
    env = {k: v for k, v in os.environ.items() if k != "GX_ANALYTICS_ENABLED"} | {"PYTHONPATH": source}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, env=env, timeout=120
    )
    assert done.returncode == 0 and done.stdout.strip() == "['False']", done.stderr


def test_the_heavy_library_is_imported_only_when_judging():
    code = "import sys, seedlot.contracts.judge, seedlot.contracts.check; print('great_expectations' in sys.modules)"
    source = str(Path(__file__).resolve().parents[3] / "src")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": source}
    )
    assert done.stdout.strip() == "False", done.stderr


def test_infinite_values_reach_the_verdict_as_words(world):
    edges = [{"net": "a", "src": 0, "dst": 1, "weight": float("inf")}]
    verdict = verdict_of(world, {"b0": (world.nodes("a", 2), edges)})
    assert verdict["tables"]["core_toy__edges"]["columns"]["weight"] == {
        "nulls": 0,
        "min": "inf",
        "max": "inf",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [(None, "no verdict\n(.|\n)*run the rule"), ("{", "not whole JSON"), ("[]", "this is no verdict")],
)
def test_the_gate_says_what_is_wrong_with_a_verdict_file(tmp_path, text, message):
    if text is not None:
        (tmp_path / "v.json").write_text(text)
    with pytest.raises(SeedlotError, match=message):
        gate.require_pass(tmp_path / "v.json")
