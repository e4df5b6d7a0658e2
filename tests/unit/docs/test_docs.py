"""What the pages promise: links that lead somewhere, commands and targets that exist, no line out of date."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
import yaml
from tests.helpers.clone import committed

from seedlot.cli import builtin, study_commands
from seedlot.formats.graphs.registry import FORMATS
from seedlot.studies.lgd_na.method import method_names

REPO = Path(__file__).resolve().parents[3]
PAGES = sorted(name for name in committed() if name.endswith(".md") and (REPO / name).is_file())
# Spelt apart, so that this file passes its own test.
BANNED = [
    "seam" + "less", "cutting" + "-edge", "state-of-the" + "-art", "world" + "-class", "blazing", "game" + "-chang",
    "revolution", "effort" + "less", "lever" + "age", "\\bsimply\\b", "\\beasily\\b", "\\bjust works\\b",
    "work" + "place", "\\bhelper session", "this " + "session", "this " + "issue", "\\bbrief\\b", "/tm" + "p/",
]  # fmt: skip


@cache
def text(name: str) -> str:
    return (REPO / name).read_text(encoding="utf-8")


@cache
def code(name: str) -> str:
    """The code of a page: fenced and indented blocks, and words between backticks."""
    fenced = re.findall(r"^```.*?^```", text(name), re.MULTILINE | re.DOTALL)
    indented = re.findall(r"^    .+$", text(name), re.MULTILINE)
    return "\n".join([*fenced, *indented, *re.findall(r"`[^`\n]+`", text(name))])


def anchors(name: str) -> set[str]:
    """The anchors that a page's headings get."""
    heads = re.findall(r"^#+ (.+)$", text(name), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


def test_there_are_pages():
    assert {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/quickstart.md"} <= set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_every_relative_link_leads_to_a_file(name):
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text(name)):
        path, _, anchor = target.partition("#")
        full = (REPO / name).parent / path if path else REPO / name
        if re.match(r"[a-z]+:", target):
            continue
        if not full.exists() or (
            anchor and anchor not in anchors(full.resolve().relative_to(REPO).as_posix())
        ):
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize("name", PAGES)
def test_every_seedlot_command_exists(name):
    commands = {*builtin(), *study_commands(), "COMMAND", "--help", "--version"}
    # `seedlot X` at the start of a command: what follows a line's begin, a backtick, a path, a pipe or a bracket
    named = re.findall(
        r"(?:^|[`/$(]|&& )seedlot (?!&&)([\w-]+)", re.sub(r"(?m)^ +", "", code(name)), re.MULTILINE
    )
    assert set(named) - commands == set()


@pytest.mark.parametrize("name", PAGES)
def test_every_make_target_exists(name):
    targets = set(re.findall(r"^([a-z]+):", text("Makefile"), re.MULTILINE))
    named = re.findall(r"(?:^|`)make (?:[A-Z]+=\S+ )*([a-z]+)", code(name), re.MULTILINE)
    assert set(named) - targets == set()


@pytest.mark.parametrize("name", PAGES)
def test_plain_words_only(name):
    # file names may hold any word; a quotation of an option or path is no promise
    prose = re.sub(r"`[^`]*`", "", text(name))
    assert [word for word in BANNED if re.search(word, prose, re.IGNORECASE)] == []


@pytest.mark.parametrize("name", ["envs/requirements.in", "envs/requirements-test.in"])
def test_every_direct_dependency_is_justified_and_no_other(name):
    wanted = set(re.findall(r"^([A-Za-z0-9][\w.-]*)==", text(name), re.MULTILINE))
    page = text("docs/dependencies.md")
    part = page.partition("## To test")[0 if name.endswith("requirements.in") else 2]
    assert set(re.findall(r"^\| ([\w.-]+) \| .{10,}\|$", part, re.MULTILINE)) == wanted


def test_every_graph_format_is_listed_and_no_other():
    table = text("docs/formats.md").partition("## Reader arguments")[0]
    assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == set(FORMATS)


def test_every_source_and_study_has_a_card():
    folders = {
        p.parent.name
        for kind in ("sources", "studies")
        for p in REPO.glob(f"src/seedlot/{kind}/*/settings.py")
    }
    assert folders - {Path(name).stem for name in PAGES if name.startswith("resources/cards/")} == set()


def test_every_page_is_linked_from_the_readme():
    linked = set(re.findall(r"\]\((docs/[\w-]+\.md)", text("README.md")))
    assert {name for name in PAGES if name.startswith("docs/")} - linked == set()


def test_the_numbers_of_the_readme_are_those_of_the_manifests():
    def rows(name: str) -> list[dict[str, str]]:
        head, *lines = text(f"resources/manifests/{name}.tsv").splitlines()
        return [dict(zip(head.split("\t"), line.split("\t"), strict=True)) for line in lines]

    small = rows("networks")
    real = [row for row in small if row["kind"] == "real"]
    synthetic = sum(row["origin"] == "packaged" for row in small) - len(real)
    simulated = sum(row["origin"] == "simulated" for row in small)
    large = rows("networks_catalogue")
    page = text("README.md")
    assert f"{len(real)} networks of {len({row['domain'] for row in real})} domains" in page
    assert f"{synthetic} synthetic power grids and {simulated} simulated networks" in page
    assert f"{len(large):,} published files in {len({row['domain'] for row in large})} domains" in page
    assert f"network dismantling: {len(method_names())} methods" in page
    wheels = text("resources/wheels.tsv").splitlines()[1:]
    assert f"about {round(sum(int(line.split()[2 + 1]) for line in wheels) / 1e6)} MB" in page


def test_python_examples_are_valid_and_yaml_examples_are_mappings():
    for name in PAGES:
        for kind, block in re.findall(r"^```(python|yaml)\n(.*?)^```", text(name), re.MULTILINE | re.DOTALL):
            if kind == "yaml":
                assert isinstance(yaml.safe_load(block), dict), name
            elif not re.match(r"rule ", block):
                compile(block, name, "exec")


def test_the_citation_file_agrees_with_the_package():
    cited = yaml.safe_load(text("CITATION.cff"))
    version = re.search(r'^version = "(.+)"$', text("pyproject.toml"), re.MULTILINE)[1]
    assert cited["version"] == version and cited["cff-version"] == "1.2.0"
    assert {"message", "title", "authors", "license", "date-released"} <= set(cited)
    assert f"## [{version}]" in text("CHANGELOG.md") and "MIT" in text("LICENSE")
