"""Code digests: remarks change nothing, real edits change exactly the entries that reach them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from seedlot.store import code
from seedlot.store.code import code_digest, imports_of, stripped

SOURCE = '''
"""Module text."""
import os

# a remark
LIMIT = 3  # another


class Box:
    """What a box is."""

    def size(self, scale: int = 2) -> int:
        """How large."""
        label = f"{scale!r:>{LIMIT}} {{x}}"
        return (
            scale * LIMIT
            + len(label)
        )
'''


@pytest.mark.parametrize(
    "old, new",
    [
        ("# a remark", "# two remarks\n# in two lines"),
        ("  # another", ""),
        ('"""Module text."""', '"""Other text,\n\nover three lines."""'),
        ('"""Module text."""', ""),
        ('        """How large."""\n', ""),
        ('"""What a box is."""', "'''A box, \"quoted\".'''"),
        ("LIMIT = 3", "\n\n\nLIMIT = 3"),
        ("            + len(label)\n", "            + len(label)  # letters\n\n"),
        ("\n            scale * LIMIT\n", "\n\n            # the area\n            scale * LIMIT\n"),
    ],
)
def test_a_remark_a_docstring_or_a_blank_line_changes_nothing(old, new):
    assert SOURCE.count(old) == 1
    assert stripped(SOURCE.replace(old, new)) == stripped(SOURCE)


@pytest.mark.parametrize(
    "old, new",
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("scale: int = 2", "scale: int = 3"),
        ("scale * LIMIT", "scale - LIMIT"),
        ("{{x}}", "{{y}}"),
        ("!r:>", "!s:>"),
        ("import os", "import sys"),
        (
            '        """How large."""\n',
            '        """How large."""\n        "not a docstring any more"; scale += 1\n',
        ),
    ],
)
def test_a_real_edit_changes_the_text(old, new):
    assert SOURCE.count(old) == 1
    assert stripped(SOURCE.replace(old, new)) != stripped(SOURCE)


def test_a_statement_that_leaves_a_loop_changes_the_text():
    inside = "for i in range(3):\n    a(i)\n    b(i)\n"
    assert stripped(inside) != stripped(inside.replace("    b(i)", "b(i)"))


def test_a_docstring_added_to_a_bare_function_changes_nothing():
    bare = "def f(x):\n    return x\n"
    assert stripped(bare) == stripped('def f(x):\n    """Same."""\n    return x\n')


def test_the_text_is_the_same_under_every_python():
    assert stripped('x = f"{a!r:>{b}} {{y}}" "z"\nif x:\n    y = 1\n') == (
        'x = f"{a!r:>{b}} {{y}}" "z" \nif x : \n{y = 1 \n}'
    )


def test_imports_inside_functions_and_of_names_are_found():
    source = (
        "import seedlot.store.lot\nfrom seedlot.store import atomic, parquet\n"
        "from seedlot.store.job import Job\nimport polars\n"
        "def late():\n    from seedlot.config import base\n"
    )
    assert imports_of(source) == [
        "seedlot.config",
        "seedlot.config.base",
        "seedlot.store",
        "seedlot.store.atomic",
        "seedlot.store.job",
        "seedlot.store.lot",
        "seedlot.store.parquet",
    ]


# -- a package of our own to edit ----------------------------------------------------------------------
FILES = {
    "studies/toy/train.py": "from seedlot.studies.toy import model\nfrom seedlot.store.parquet import write_table\n",
    "studies/toy/model.py": "from seedlot.formats.shape import area\nWIDTH = 3\n",
    "studies/toy/figures.py": "from seedlot.formats.shape import area\n",
    "studies/toy/methods/cnd.py": "A = 1\n",
    "studies/toy/methods/ra2.py": "A = 2\n",
    "formats/shape.py": "def area(x):\n    return x * x\n",
    "store/parquet.py": "FORMAT = 1\nfrom seedlot.store import atomic\ndef write_table():\n    return 1\n",
    "store/atomic.py": "def move():\n    return 1\n",
}
TRAIN, FIGURE = "seedlot.studies.toy.train:run", "seedlot.studies.toy.figures:run"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A toy package; `edit(file, text)` writes a file, `digests(...)` computes anew."""
    monkeypatch.setattr(code, "PACKAGE", tmp_path / "seedlot")

    class Package:
        root = tmp_path / "seedlot"
        memo: str | None = None

        def edit(self, name: str, text: str) -> None:
            path = self.root / name
            for folder in [path.parent, *path.parent.parents]:
                if folder.is_relative_to(self.root):
                    folder.mkdir(parents=True, exist_ok=True)
                    (folder / "__init__.py").touch()
            path.write_text(text)

        def digest(self, entry: str, *plugins: str) -> str:
            code.code_digest.cache_clear()
            code._memo.cache_clear()
            return code_digest(entry, plugins, self.memo)

        def digests(self) -> dict[str, str]:
            return {
                "train": self.digest(TRAIN),
                "figure": self.digest(FIGURE),
                "cnd": self.digest(TRAIN, "seedlot.studies.toy.methods.cnd"),
                "ra2": self.digest(TRAIN, "seedlot.studies.toy.methods.ra2"),
            }

        def changed_by(self, name: str, text: str) -> set[str]:
            before = self.digests()
            self.edit(name, text)
            after = self.digests()
            return {key for key in before if before[key] != after[key]}

    made = Package()
    for name, text in FILES.items():
        made.edit(name, text)
    yield made
    code.code_digest.cache_clear()
    code._memo.cache_clear()


def test_only_entries_that_reach_a_module_change(package):
    assert package.changed_by("studies/toy/model.py", FILES["studies/toy/model.py"].replace("3", "4")) == {
        "train",
        "cnd",
        "ra2",
    }
    assert package.changed_by("formats/shape.py", "def area(x):\n    return x + x\n") == {
        "train",
        "figure",
        "cnd",
        "ra2",
    }


def test_editing_one_method_changes_that_method_alone(package):
    assert package.changed_by("studies/toy/methods/cnd.py", "A = 5\n") == {"cnd"}


def test_a_remark_in_a_reached_module_changes_no_digest(package):
    assert (
        package.changed_by("formats/shape.py", '# square\ndef area(x):\n    """Area."""\n    return x * x\n')
        == set()
    )


def test_a_writer_counts_by_its_hand_raised_format_alone(package):
    text = FILES["store/parquet.py"]
    assert package.changed_by("store/parquet.py", text.replace("return 1", "return 2")) == set()
    assert package.changed_by("store/atomic.py", "def move():\n    return 3\n") == set()
    assert package.changed_by("store/parquet.py", text.replace("FORMAT = 1", "FORMAT = 2")) == {
        "train",
        "cnd",
        "ra2",
    }


def test_the_memo_on_disk_gives_the_same_digest_and_reads_no_source(package, tmp_path, monkeypatch):
    plain = package.digest(TRAIN)
    package.memo = str(tmp_path / "cache" / "code.json")
    assert package.digest(TRAIN) == plain
    monkeypatch.setattr(code, "stripped", lambda source: pytest.fail("a source was read again"))
    assert package.digest(TRAIN) == plain


def test_the_memo_notices_an_edit(package, tmp_path):
    package.memo = str(tmp_path / "cache" / "code.json")
    before = package.digest(TRAIN)
    package.edit("studies/toy/model.py", FILES["studies/toy/model.py"].replace("3", "9"))
    os.utime(package.root / "studies/toy/model.py", (1, 1))
    assert package.digest(TRAIN) != before


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"seedlot.formats.shape": [1]}', "null", '{"cut": 0, "modules": {}}']
)
def test_a_damaged_memo_is_only_a_slower_start(package, tmp_path, text):
    plain = package.digest(TRAIN)
    memo = tmp_path / "cache" / "code.json"
    memo.parent.mkdir()
    memo.write_text(text)
    package.memo = str(memo)
    assert package.digest(TRAIN) == plain
    assert set(json.loads(memo.read_text())["modules"]) >= {
        "seedlot.studies.toy.train",
        "seedlot.formats.shape",
    }


def test_a_name_that_is_no_module_is_an_error(package):
    with pytest.raises(ValueError, match=r"no module seedlot\.studies\.toy\.absent"):
        package.digest("seedlot.studies.toy.absent:run")


def test_each_dismantling_method_of_the_package_has_its_own_digest():
    folder = Path(code.PACKAGE) / "studies/lgd_na/methods"
    names = sorted(p.stem for p in folder.glob("[a-z]*.py"))
    found = {
        n: code_digest("seedlot.studies.lgd_na.dismantle:run", (f"seedlot.studies.lgd_na.methods.{n}",))
        for n in names
    }
    assert len(names) >= 16 and len(set(found.values())) == len(names)
