"""The house rules that a machine can check: layers, sizes, imports, words."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.helpers.clone import committed

REPO = Path(__file__).resolve().parents[3]
TEXT = {
    ".py",
    ".smk",
    ".md",
    ".yaml",
    ".yml",
    ".toml",
    ".html",
    ".sh",
    ".tsv",
    ".json",
    ".cff",
    ".in",
    ".lock",
    "",
}
FILES = [name for name in committed() if Path(name).suffix in TEXT and not (REPO / name).is_symlink()]
PYTHON = [name for name in FILES if name.endswith(".py")]
HEAVY = {
    "torch",
    "great_expectations",
    "matplotlib",
    "numba",
    "scipy",
    "zarr",
    "pandas",
    "networkx",
    "polars",
    "pyarrow",
}


def test_no_layer_imports_upwards():
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        cwd=REPO,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


@pytest.mark.parametrize("kind", ["studies", "sources", "joins"])
def test_no_study_imports_a_study_and_no_source_a_source(kind):
    wrong = []
    for name in PYTHON:
        match = re.match(rf"src/seedlot/{kind}/(\w+)/", name)
        for other in re.findall(rf"seedlot\.{kind}\.(\w+)", (REPO / name).read_text()) if match else ():
            if other != match[1]:
                wrong.append(f"{name}: {other}")
    assert wrong == []


def test_no_code_file_is_longer_than_400_lines_and_no_rule_file_than_150():
    limits = {".py": 400, ".smk": 150}
    sizes = {n: len((REPO / n).read_text().splitlines()) for n in FILES if Path(n).suffix in limits}
    assert {n: size for n, size in sizes.items() if size > limits[Path(n).suffix]} == {}


def test_the_adapter_stays_short():
    assert len((REPO / "scripts/job.py").read_text().splitlines()) <= 60


def imports(name: str, top_only: bool) -> set[str]:
    tree = ast.parse((REPO / name).read_text())
    nodes = tree.body if top_only else ast.walk(tree)
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


def test_nothing_in_the_package_imports_snakemake():
    assert [n for n in PYTHON if n.startswith("src/") and "snakemake" in imports(n, False)] == []


def test_packages_are_empty():
    full = [n for n in PYTHON if n.endswith("__init__.py") and (REPO / n).read_text().strip()]
    assert full == []


def test_nothing_heavy_is_imported_where_the_workflow_is_parsed():
    light = re.compile(
        r"src/seedlot/(config/|workflow/|cli\.py|catalog/(manifest|buckets|tsv|files|user)\.py|.*/settings\.py)"
    )
    wrong = {n: imports(n, True) & HEAVY for n in PYTHON if light.match(n)}
    assert {n: found for n, found in wrong.items() if found} == {}


# Spelt apart, so that this file passes its own test.
BANNED = [
    "/wo" + "rk/",
    "/ro" + "ot/",
    "/ho" + "me/",
    "T" + "ODO",
    "FIX" + "ME",
    "INTER" + "FACES.md",
    "DESI" + "GN.md",
    "user-" + "demands",
    "sha" + "red/seeds",
]


@pytest.mark.parametrize("word", BANNED)
def test_the_tree_holds_no_machine_path_and_no_leftover(word):
    hits = []
    for name in FILES:
        text = (REPO / name).read_text(encoding="utf-8", errors="replace")
        if word in text:
            line = text[: text.index(word)].count("\n") + 1
            hits.append(f"{name}:{line}")
    assert hits == []


def test_no_committed_file_is_large_or_binary():
    large = {n: (REPO / n).stat().st_size for n in committed() if (REPO / n).stat().st_size > 3_000_000}
    assert large == {}


def test_rules_hold_no_run_block_and_no_checkpoint():
    wrong = []
    for name in FILES:
        if name == "Snakefile" or name.endswith(".smk"):
            text = (REPO / name).read_text()
            wrong += [f"{name}: {m}" for m in re.findall(r"^\s*(?:run:|checkpoint \w+)", text, re.MULTILINE)]
            wrong += [f"{name}: {m}" for m in re.findall(r"\bancient\(|^\s*retries:", text, re.MULTILINE)]
    assert wrong == []
