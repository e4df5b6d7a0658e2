"""`seedlot plan` reads a dry run as Snakemake prints it and adds up what the jobs ask for."""

import json
import sys
import time

import pytest
from handmade_root import Root, make_clone

from seedlot.cli import main
from seedlot.commands import _shared, plan
from seedlot.workflow.core import Workflow

TEXT = """Building DAG of jobs...
Job stats:
job       count
[Mon Nov 30 23:18:03 2026]
localrule fetch:
    output: results/raw/uniprot/simulated/receipts/5f.tsv
    log: results/logs/demo/fetch.log
    jobid: 12
    reason: Missing output files: results/raw/uniprot/simulated/receipts/5f.tsv
    wildcards: source=uniprot, receipt=5f
    resources: tmpdir=/tmp, runtime=600, mem_mb=1000, mem=1 GB, mem_mib=954

[Mon Nov 30 23:18:03 2026]
rule train:
    input: a, b
    output: results/studies/demo/t/w.safetensors, results/studies/demo/t/curve.parquet
    log: results/logs/demo/train.log
    benchmark: results/benchmarks/demo/train.tsv
    jobid: 3
    priority: 5
    threads: 8
    resources: tmpdir=<TBD>, runtime=90, mem_mb=<TBD>, gpu=2

[Mon Nov 30 23:18:03 2026]
rule all:
    input: results/studies/demo/t/w.safetensors
    jobid: 0
    resources: tmpdir=/tmp
"""


@pytest.fixture
def clone(tmp_path, monkeypatch):
    path = make_clone(tmp_path / "clone")
    monkeypatch.chdir(path)
    return path


def test_every_job_that_writes_something_is_read_with_what_it_asks_for():
    fetch, train = plan.parse(TEXT.splitlines())
    assert (fetch.rule, fetch.wildcards, fetch.minutes, fetch.threads) == (
        "fetch",
        "source=uniprot, receipt=5f",
        600,
        1,
    )
    assert (train.minutes, train.threads, train.gpus, train.files) == (90, 8, 2, 4)
    assert train.number("mem_mb") == 0, "known only when the job starts"


def test_sums_of_the_plan_leave_out_what_runs_on_the_login_node(clone):
    jobs = plan.parse(TEXT.splitlines())
    jobs.append(plan.Planned("small", "shard=b1", ["x"], 1, 2, {"runtime": "15", "mem_mb": "500"}))
    told = plan.summary(Workflow({"run": "demo"}), jobs)
    assert told["jobs"] == 3 and told["local_jobs"] == 1
    assert told["minutes"] == {"p50": 15, "p95": 90, "max": 90}
    assert told["core_hours"] == (90 * 8 + 15 * 2) / 60 and told["gpu_hours"] == 3
    assert told["longest_job"]["rule"] == "train" and told["peak_memory"] == {"mem_mb": 500, "rule": "small"}
    only = plan.summary(Workflow({"run": "demo"}), jobs[:1])
    assert only["longest_job"] == {"rule": "fetch", "wildcards": "source=uniprot, receipt=5f", "minutes": 600}


def test_measured_seconds_of_earlier_jobs_stand_beside_the_limits(clone):
    root = Root(clone)
    for i, seconds in enumerate((1.0, 9.0, 3.0)):
        root.job("train", [], [root.text(f"studies/demo/{i}", "")], seconds=seconds)
    told = plan.summary(Workflow({"run": "demo"}), plan.parse(TEXT.splitlines()))
    assert told["rules"]["train"]["median_seconds_before"] == 3.0
    assert told["rules"]["fetch"]["median_seconds_before"] is None


def test_raw_bytes_of_the_planned_receipts_and_what_is_here_already(clone):
    from seedlot.catalog.manifest import Row

    rows = [
        Row("a", "upstream", "1", "https://example.org/big.zip", "big.zip", "a.txt", 100),
        Row("b", "upstream", "1", "https://example.org/big.zip", "big.zip", "b.txt", 100),
        Row("c", "upstream", "1", "https://example.org/c.txt", bytes=7),
        Row("d", "upstream", "1", "https://example.org/d.txt"),
    ]
    root = Root(clone)
    from seedlot.catalog.manifest import raw_path

    here = raw_path(root.path, "toy", rows[2])
    here.parent.mkdir(parents=True)
    here.write_text("1234567")
    told = plan.raw_needs(root.path, {"toy": rows})
    assert told == {"files": 3, "bytes": 107, "files_here": 1, "bytes_here": 7, "files_of_unknown_size": 1}


def test_only_the_rows_of_planned_receipts_are_wanted(clone):
    flow = Workflow({"run": "demo"})
    (path,) = _shared.receipt_rows(flow, "uniprot")
    jobs = [plan.Planned("simulate", outputs=[path.as_posix()])]
    assert [(s, [r.item for r in rows]) for s, rows in plan.wanted_rows(flow, jobs).items()] == [
        ("uniprot", ["thin_proteome"])
    ]
    assert plan.wanted_rows(flow, [plan.Planned("x", outputs=["results/y"])]) == {}


@pytest.mark.parametrize(("share", "value"), [(0.5, 2), (0.95, 4), (0.25, 1), (0.26, 2), (1.0, 4)])
def test_nearest_rank_quantiles(share, value):
    assert plan.quantile([4, 1, 3, 2], share) == value


def test_two_thousand_jobs_are_read_in_well_under_a_second():
    block = TEXT.split("\n\n")[1].replace("jobid: 3", "jobid: {}")
    text = "\n".join(block.format(i) for i in range(2000))
    start = time.process_time()
    assert len(plan.parse(text.splitlines())) == 2000
    assert time.process_time() - start < 1.0


def test_config_is_merged_as_snakemake_merges_it(clone):
    import argparse

    (clone / "more.yaml").write_text("run: paper\nsources: {networks: {buckets: 60}}\n")
    words = ["seed=3", "sources={networks: {mem_mb: 9}}"]
    args = argparse.Namespace(configfile=["more.yaml"], config=words, profile="slurm")
    args.configfile = [clone / "more.yaml"]
    data = _shared.config_data(args)
    assert data == {"run": "paper", "seed": 3, "sources": {"networks": {"buckets": 60, "mem_mb": 9}}}
    assert _shared.config_words(args) == [
        "--profile", "slurm", "--configfile", str(clone / "more.yaml"), "--config", *words,
    ]  # fmt: skip


RULES = """
rule all:
    input: "results/out.txt"

rule train:
    output: "results/out.txt", "results/{name}.txt".format(name="more")
    log: "results/train.log"
    threads: 8
    resources: runtime=90, mem_mb=4000, gpu=1
    shell: "false"
"""


def test_a_dry_run_of_snakemake_is_understood_and_threads_are_not_capped(clone, capsys):
    (clone / "Snakefile").write_text(RULES)
    assert main(["plan", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["rules"] == {
        "train": {"jobs": 1, "threads": 8, "mem_mb": 4000, "max_minutes": 90, "median_seconds_before": None}
    }
    assert told["core_hours"] == 12 and told["gpu_hours"] == 1.5 and told["inodes"] == 6
    assert not (clone / "results").exists(), "a plan writes nothing"


def test_a_dry_run_that_fails_is_an_error_with_the_words_below_the_banner(clone, capsys, monkeypatch):
    says = "print('Host: x'); print('Building DAG of jobs...'); print('No rule to produce trian'); raise SystemExit(1)"
    monkeypatch.setattr(plan, "SNAKEMAKE", [sys.executable, "-c", says])
    assert main(["plan", "trian"]) == 2
    text = capsys.readouterr().err
    assert "cannot plan trian\n    No rule to produce trian" in text and "Host" not in text


def test_outside_a_clone_it_says_where_to_go(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["plan"]) == 2
    assert "cd to the clone" in capsys.readouterr().err
