"""`seedlot dismantle` and its Python twin on a user's own files."""

from __future__ import annotations

import json
import sys
import time
import zipfile

import networkx as nx
import pytest

from seedlot.cli import main
from seedlot.config.errors import SeedlotError
from seedlot.studies.lgd_na.api import dismantle

KEYS = [
    "n",
    "m",
    "lcc_n",
    "lcc_m",
    "method",
    "reinsert",
    "removals",
    "n_removals",
    "auc_paper",
    "r_schneider",
]
KEYS += ["curve", "stop", "stop_reason", "seconds", "tie_rule", "rejected"]


@pytest.fixture
def karate(tmp_path):
    path = tmp_path / "karate.gml"
    net = nx.relabel_nodes(nx.Graph(nx.karate_club_graph().edges), {i: f"member {i}" for i in range(34)})
    nx.write_gml(nx.Graph(sorted(net.edges, key=str)), path)
    return path


@pytest.fixture
def two_pieces(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text("a b\nb c\nc a\nc d\nd e\ne e\nd c\nx y\n")
    return path


def as_json(capsys, *words):
    status = main(["dismantle", *map(str, words), "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_one_result_is_a_bare_object_with_exactly_the_promised_keys(capsys, karate):
    status, found = as_json(capsys, karate, "--method", "degree")
    assert (status, sorted(found)) == (0, sorted(KEYS))
    assert (found["n"], found["m"], found["lcc_n"], found["lcc_m"]) == (34, 78, 34, 78)
    assert found["n_removals"] == len(found["removals"]) == len(found["curve"]) - 1
    assert found["removals"][0] == "member 33"
    assert (found["curve"][0], found["stop_reason"], found["tie_rule"]) == (34, "lcc_reached", "exact")


def test_several_files_methods_and_rules_are_a_list_in_that_order(capsys, karate, two_pieces):
    _, found = as_json(capsys, karate, two_pieces, "--method", "cnd,nbc", "--reinsert", "none,r1")
    got = [(one["lcc_n"], one["method"], one["reinsert"]) for one in found]
    assert got == [(n, m, r) for n in (34, 5) for m in ("cnd", "nbc") for r in ("none", "r1")]
    assert [one["n_removals"] for one in found[:4]][1::2] == [8, 8]


def test_loops_repeats_and_small_components_are_counted_but_not_dismantled(capsys, two_pieces):
    _, found = as_json(capsys, two_pieces, "--stop", "0.4")
    assert (found["n"], found["m"], found["lcc_n"], found["lcc_m"]) == (7, 6, 5, 5)
    assert found["removals"] == ["c"]
    assert found["curve"] == [5, 2]


def test_bare_numbers_come_back_as_numbers(capsys, tmp_path):
    path = tmp_path / "numbers.txt"
    path.write_text("10 20\n20 30\n30 40\n20 50\n")
    assert as_json(capsys, path, "--stop", "0.5")[1]["removals"] == [20]


def test_static_and_dynamic_differ_and_exclude_each_other(capsys, karate):
    dynamic, static = (
        as_json(capsys, karate, "--method", "degree", mode)[1] for mode in ("--dynamic", "--static")
    )
    assert dynamic["removals"] != static["removals"]
    with pytest.raises(SystemExit):
        main(["dismantle", str(karate), "--static", "--dynamic"])


def test_an_order_of_labels_is_followed(capsys, two_pieces, tmp_path):
    order = tmp_path / "mine.csv"
    order.write_text("label,why\nd,first\nc,second\n")
    _, found = as_json(capsys, two_pieces, "--order", order, "--stop", "0.4")
    assert (found["method"], found["removals"], found["tie_rule"]) == ("mine", ["d", "c"], "given")
    assert (found["curve"], found["stop_reason"]) == ([5, 3, 2], "lcc_reached")


def test_an_order_that_ends_early_says_so_and_cannot_be_reinserted(capsys, two_pieces, tmp_path):
    order = tmp_path / "mine.csv"
    order.write_text("e\n")
    _, found = as_json(capsys, two_pieces, "--order", order)
    assert (found["stop_reason"], found["curve"], found["n_removals"]) == ("order_ended", [5, 4], None)
    assert found["auc_paper"] is None and found["r_schneider"] is None and found["removals"] == ["e"]
    assert main(["dismantle", str(two_pieces), "--order", str(order)]) == 0
    assert "order_ended" in capsys.readouterr().out
    assert main(["dismantle", str(two_pieces), "--order", str(order), "--reinsert", "r1"]) == 2
    assert "the order ends after 1 removals" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [("d\nq\n", "no node 'q'"), ("d\nd\n", "removed twice"), ("\n", "is empty"), ("x\n", "is empty")],
)
def test_bad_orders_are_refused_with_file_and_line(capsys, two_pieces, tmp_path, text, message):
    order = tmp_path / "mine.csv"
    order.write_text(text)
    assert main(["dismantle", str(two_pieces), "--order", str(order)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "mine.csv" in error


def test_an_outside_command_gets_numbered_links_and_prints_an_order(capsys, two_pieces, tmp_path):
    script = tmp_path / "mine.py"
    script.write_text(
        "import sys, collections\n"
        "ends = collections.Counter(open(sys.argv[1]).read().split())\n"
        "print('\\n'.join(node for node, _ in ends.most_common()))\n"
    )
    command = f"{sys.executable} {script} {{edges}}"
    _, found = as_json(capsys, two_pieces, "--method-cmd", command, "--stop", "0.4", "--method", "degree")
    assert [one["removals"] for one in found] == [["c"], ["c"]]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("true", "must contain {edges}"),
        ("/no/such/program {edges}", "cannot start"),
        ("cat {edges}", "no node '0 1'"),
        (f"{sys.executable} -c 'raise SystemExit(3)' {{edges}}", "ended with status 3"),
        ("echo {edges}; rm -rf x", "no node"),
    ],
)
def test_commands_that_fail_or_print_no_order_are_refused(capsys, two_pieces, command, message):
    assert main(["dismantle", str(two_pieces), "--method-cmd", command]) == 2
    assert message in capsys.readouterr().err


def test_a_command_or_a_method_out_of_time_is_a_result_without_removals(capsys, two_pieces, tmp_path):
    status, found = as_json(
        capsys, two_pieces, "--method-cmd", "sh -c 'sleep 9' {edges}", "--time-limit", "0.2"
    )
    assert (status, found["stop_reason"], found["removals"], found["n_removals"]) == (
        1,
        "time_limit",
        [],
        None,
    )
    nx.write_edgelist(nx.gnm_random_graph(800, 4000, seed=1), tmp_path / "large.txt", data=False)
    status, found = as_json(capsys, tmp_path / "large.txt", "--method", "nbc", "--time-limit", "0.01")
    assert (status, found["stop_reason"], found["auc_paper"], sorted(found)) == (
        1,
        "time_limit",
        None,
        sorted(KEYS),
    )


def test_costs_are_reported_beside_the_removals(capsys, two_pieces, tmp_path):
    _, found = as_json(capsys, two_pieces, "--cost", "degree", "--stop", "0.4")
    assert found["cost"] == [0.0, 0.3]
    table = tmp_path / "nodes.csv"
    table.write_text("label,price\n" + "".join(f"{x},{3 if x == 'c' else 1}\n" for x in "abcde"))

    def costs(rows):
        path = tmp_path / f"costs{len(list(tmp_path.iterdir()))}.csv"
        path.write_bytes(b"label,price\n" + (rows if isinstance(rows, bytes) else rows.encode()))
        return path

    _, found = as_json(capsys, two_pieces, "--cost", "price", "--nodes", table, "--stop", "0.4")
    assert found["cost"] == [0.0, 3 / 7]
    for words, message in (
        (["--cost", "price"], "--nodes"),
        (["--cost", "prize", "--nodes", str(table)], "'price'"),
        (["--cost", "price", "--nodes", str(costs("a,1\na,2\n"))], "node 'a' has two costs"),
        (["--cost", "price", "--nodes", str(costs("a\n"))], "the row has 1 cells"),
        (["--cost", "price", "--nodes", str(costs("a,much\n"))], "'much' of node 'a' is not a number"),
        (["--cost", "price", "--nodes", str(costs("é,1\n".encode("latin-1")))], "not a CSV file in UTF-8"),
    ):
        assert main(["dismantle", str(two_pieces), *words]) == 2
        assert message in capsys.readouterr().err


def test_plot_and_out_write_files(capsys, karate, tmp_path):
    words = [
        str(karate),
        "--reinsert",
        "none,r1",
        "--plot",
        str(tmp_path / "c.svg"),
        "--out",
        str(tmp_path / "o"),
    ]
    assert main(["dismantle", *words]) == 0
    assert "karate.gml" in capsys.readouterr().out
    assert (tmp_path / "c.svg").read_text().count("<svg") == 1
    lines = (tmp_path / "o" / "karate.gml.cnd.r1.csv").read_text().splitlines()
    assert (lines[0], len(lines)) == ("step,label,lcc", 9)
    assert [one["file"] for one in json.loads((tmp_path / "o" / "results.json").read_text())] == [
        "karate.gml"
    ] * 2


def test_a_folder_of_results_keeps_an_order_that_is_called_like_a_method(capsys, two_pieces, tmp_path):
    order = tmp_path / "cnd.csv"
    order.write_text("step,label,lcc\n1,c,3\n2,d,2\n3,a,1\n4,b,1\n")
    words = ["--order", str(order), "--method", "cnd", "--cost", "degree", "--out", str(tmp_path / "o")]
    assert main(["dismantle", str(two_pieces), *words]) == 0
    shown = capsys.readouterr()
    assert "wrote 3 files" in shown.err and "cost" in shown.out.splitlines()[0]
    names = sorted(p.name for p in (tmp_path / "o").iterdir())
    assert names == ["own.txt.cnd.none.2.csv", "own.txt.cnd.none.csv", "results.json"]
    own = (tmp_path / "o" / names[0]).read_text().splitlines()
    assert own[0] == "step,label,lcc,cost" and own[1].startswith("1,c,")
    _, again = as_json(capsys, two_pieces, "--order", tmp_path / "o" / names[1])
    assert again["removals"][0] == "c"


def test_an_order_made_for_the_whole_network_passes_over_what_is_outside_the_largest_part(
    capsys, caplog, two_pieces, tmp_path
):
    order = tmp_path / "mine.csv"
    order.write_text("x\nc\ny\nd\n")
    _, found = as_json(capsys, two_pieces, "--order", order, "--stop", "0.4")
    assert found["removals"] == ["c"]
    assert "2 nodes are outside the largest component" in caplog.text
    order.write_text("c\nz\n")
    assert main(["dismantle", str(two_pieces), "--order", str(order)]) == 2
    assert "no node 'z'" in capsys.readouterr().err


def test_what_a_command_started_ends_with_it(capsys, two_pieces, tmp_path):
    mark = tmp_path / "alive"
    script = tmp_path / "mine.sh"
    script.write_text(f"(sleep 1; touch {mark}) &\nwait\n")
    _, found = as_json(capsys, two_pieces, "--method-cmd", f"sh {script} {{edges}}", "--time-limit", "0.3")
    assert found["stop_reason"] == "time_limit"
    time.sleep(1.2)
    assert not mark.exists()


def test_reader_arguments_reach_the_reader(capsys, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("Person A,Person B\nAnn,Bob\nBob,Cid\n")
    assert as_json(capsys, path)[1]["n"] == 5
    assert as_json(capsys, path, "--reader", "header=true")[1]["n"] == 3
    box = tmp_path / "two.zip"
    with zipfile.ZipFile(box, "w") as out:
        out.writestr("a.txt", "1 2\n2 3\n")
        out.writestr("b.txt", "1 2\n2 3\n3 4\n")
    assert as_json(capsys, box, "--reader", "member=b.txt")[1]["n"] == 4
    nx.write_graphml(nx.path_graph(4), tmp_path / "x.graphml")
    text = (tmp_path / "x.graphml").read_text()
    graph = text[text.index("<graph ") : text.index("</graphml>")]
    (tmp_path / "x.graphml").write_text(text.replace("</graphml>", graph + "</graphml>"))
    assert main(["dismantle", str(tmp_path / "x.graphml")]) == 0
    assert "the first of 2 networks" in capsys.readouterr().err


def test_the_first_call_of_a_method_takes_no_longer_than_the_next(capsys, karate):
    """Compiling is done before the clock starts, also with a time limit, whose process starts from nothing."""
    seconds = [as_json(capsys, karate, "--method", "degree", "--time-limit", "1")[1]["seconds"] for _ in "12"]
    assert max(seconds) < 0.5
    assert as_json(capsys, karate, "--method", "ei")[1]["seconds"] < 0.5


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--method", "cdn"], "did you mean 'cnd'"),
        (["--method", ""], "--method is empty"),
        (["--order", ""], "--order is empty"),
        (["--time-limit", "nan"], "positive number of seconds"),
        (["--time-limit", "0"], "positive number of seconds"),
        (["--time-limit", "-1", "--method-cmd", "true {edges}"], "positive number of seconds"),
        (["--method-cmd", "sh 'open {edges}"], "cannot be split into words"),
        (["--method-cmd", "printf '\\377\\n' {edges}"], "no node"),
        (["--nodes", "x.csv"], "--nodes is only used with --cost"),
        (["--plot", "curves.pdf"], "writes an SVG file"),
        (["--plot", "nowhere/curves.svg"], "no folder 'nowhere'"),
        (["--out", __file__], "is a file"),
        (["--reader", "member"], "NAME=VALUE"),
        (["--reader", "headr=true"], "headr"),
        (["--reinsert", "r9"], "unknown reinsertion 'r9'"),
        (["--stop", "1.5"], "between 0 and 1"),
        (["--ties", "exakt"], "did you mean 'exact'"),
    ],
)
def test_wrong_words_are_refused_with_the_nearest(capsys, karate, words, message):
    assert main(["dismantle", str(karate), *words]) == 2
    assert message in capsys.readouterr().err


def test_files_that_differ_after_the_first_dot_keep_their_own_results(capsys, tmp_path):
    for name in ("a.v1.txt", "a.v2.txt"):
        (tmp_path / name).write_text("1 2\n2 3\n3 4\n")
    files = [str(tmp_path / name) for name in ("a.v1.txt", "a.v2.txt")]
    assert main(["dismantle", *files, "--out", str(tmp_path / "o")]) == 0
    assert sorted(p.name for p in (tmp_path / "o").iterdir()) == [
        "a.v1.txt.cnd.none.csv",
        "a.v2.txt.cnd.none.csv",
        "results.json",
    ]
    assert main(["dismantle", files[0], files[0], "--out", str(tmp_path / "o")]) == 2
    assert "two files are called a.v1.txt" in capsys.readouterr().err


def test_refused_records_are_told_with_the_first_of_them(capsys, tmp_path):
    path = tmp_path / "mixed.txt"
    path.write_text("1 2\n2 3\n3 x\n3 4\n")
    assert main(["dismantle", str(path)]) == 0
    assert "mixed.txt: 1 of 4 records refused, the first: line 3, bad_id, '3 x'" in capsys.readouterr().err


def test_missing_and_linkless_files_are_refused(capsys, tmp_path):
    assert main(["dismantle", str(tmp_path)]) == 2
    assert "is a folder" in capsys.readouterr().err
    assert main(["dismantle", str(tmp_path / "no.gml")]) == 2
    assert "no file" in capsys.readouterr().err
    (tmp_path / "loop.txt").write_text("a a\n")
    assert main(["dismantle", str(tmp_path / "loop.txt")]) == 2
    assert "nothing to dismantle" in capsys.readouterr().err


def test_the_python_call_takes_files_pairs_and_networkx_edges(karate):
    from_file = dismantle(karate, "cnd", reinsert="r1")
    from_edges = dismantle(nx.karate_club_graph().edges, "cnd", reinsert="r1")
    assert from_file.n_removals == from_edges.n_removals == 8
    assert from_edges.removals[:2] == [33, 32]
    assert dismantle([("u", "v"), ("v", "w")], stop=0.4).removals == ["v"]
    assert dismantle(karate, "cnd", time_limit=60).removals == dismantle(karate, "cnd").removals


def test_the_python_call_raises_what_the_command_prints(karate):
    with pytest.raises(SeedlotError, match="no static mode"):
        dismantle(karate, "corehd", mode="static")
    with pytest.raises(SeedlotError, match="no static mode"):
        dismantle(karate, "corehd", mode="static", time_limit=60)
