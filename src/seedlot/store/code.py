"""Code digests: what a rule's result depends on in this package.

Snakemake does not see that an imported module changed. Each rule therefore carries, as a parameter, the
digest of its entry module, of every seedlot module that it reaches by import, and of the plug-ins that its
config names. The digest is of source text with comments, docstrings and blank lines cut out, so a remark
reruns nothing, and it is the same under every Python version. Results are memoised on disk by size and
modification time, so that parsing the workflow normally reads no Python source at all.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import io
import json
import os
import re
import tokenize
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
# Behind stable calls: a change here changes no result, or is covered by FORMAT, the schema and check digests.
OUTSIDE = ("seedlot.catalog", "seedlot.config", "seedlot.contracts", "seedlot.cli", "seedlot.api", "seedlot.workflow",
           "seedlot.report.site", "seedlot.store")  # fmt: skip
# Raised when `stripped` cuts differently, so that no memo of an older cut is used.
CUT = 2
_SKIP = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER}


def module_path(name: str) -> Path | None:
    """The source file of a seedlot module, or None when the name is no module (a function, say)."""
    base = PACKAGE.joinpath(*name.split(".")[1:])
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


def stripped(source: str) -> str:
    """Source text without comments, docstrings and blank lines; layout inside a line is kept as tokens."""
    doc_lines = _docstring_lines(ast.parse(source))
    out: list[str] = []
    docstring = False
    for kind, text, line in _tokens(source):
        if kind in _SKIP:
            continue
        if kind == tokenize.STRING and line in doc_lines:
            docstring = True
            continue
        if kind == tokenize.NEWLINE and docstring:  # a docstring that comes or goes leaves no empty line
            docstring = False
            continue
        if kind == tokenize.INDENT:
            out.append("{")
        elif kind == tokenize.DEDENT:
            out.append("}")
        elif kind == tokenize.NEWLINE:
            out.append("\n")
        else:
            out.append(text + " ")
    return "".join(out)


def _tokens(source: str) -> Iterator[tuple[int, str, int]]:
    """(type, text, line) of each token; an f-string is one token, which Python cuts into parts from 3.12 on."""
    lines = source.splitlines(keepends=True)
    depth, start = 0, (0, 0)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        name = tokenize.tok_name[token.type]
        if name in ("FSTRING_START", "TSTRING_START"):
            start = start if depth else token.start
            depth += 1
        elif name in ("FSTRING_END", "TSTRING_END"):
            depth -= 1
            if depth == 0:
                whole = lines[start[0] - 1 : token.end[0]]
                whole[-1] = whole[-1][: token.end[1]]
                whole[0] = whole[0][start[1] :]
                yield tokenize.STRING, "".join(whole), start[0]
        elif depth == 0:
            yield token.type, token.string, token.start[0]


def _docstring_lines(tree: ast.Module) -> set[int]:
    lines = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                lines.add(first.lineno)
    return lines


def imports_of(source: str) -> list[str]:
    """The seedlot modules that a source text imports anywhere, functions included."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(a.name for a in node.names if a.name.startswith("seedlot."))
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "seedlot":
            found.add(node.module)
            found.update(f"{node.module}.{a.name}" for a in node.names)
    return sorted(m for m in found if module_path(m))


class Memo:
    """Text digest and imports of each module, kept on disk under a cache folder."""

    def __init__(self, path: Path | None):
        self.path, self.dirty = path, False
        self.rows: dict[str, list] = {}
        if path is not None and path.is_file():
            try:
                told = json.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                told = None  # a half-written memo is only a slower start
            if isinstance(told, dict) and told.get("cut") == CUT:
                self.rows = told["modules"]

    def module(self, name: str) -> tuple[str, list[str], str]:
        """(text digest, imported seedlot modules, 'FORMAT = n' line or '') of a module."""
        path = module_path(name)
        if path is None:
            raise ValueError(f"no module {name}")
        stat = path.stat()
        stamp = [stat.st_size, stat.st_mtime_ns]
        row = self.rows.get(name)
        if row is None or row[:2] != stamp:
            source = path.read_text(encoding="utf-8")
            digest = hashlib.sha256(stripped(source).encode()).hexdigest()
            form = re.search(r"^FORMAT = \d+$", source, re.MULTILINE)
            row = [*stamp, digest, imports_of(source), form[0] if form else ""]
            self.rows[name], self.dirty = row, True
        return row[2], row[3], row[4]

    def save(self) -> None:
        if self.path is None or not self.dirty:
            return
        with contextlib.suppress(OSError):  # the memo only saves time, and a dry run must work on any root
            self.path.parent.mkdir(parents=True, exist_ok=True)
            part = self.path.with_name(f"{self.path.name}.{os.getpid()}")
            part.write_text(json.dumps({"cut": CUT, "modules": self.rows}), encoding="utf-8")
            part.replace(self.path)
        self.dirty = False


def reached(names: Iterable[str], memo: Memo) -> dict[str, str]:
    """Module name -> text digest for every module reached by import from `names`.

    Modules of OUTSIDE count by their hand-raised FORMAT alone, where they have one.
    """
    todo, seen, done = list(names), {}, set()
    while todo:
        name = todo.pop()
        if name in done:
            continue
        done.add(name)
        digest, imports, form = memo.module(name)
        if not name.startswith(OUTSIDE):
            seen[name] = digest
            todo.extend(imports)
        elif form:
            seen[name] = form
    return seen


@cache
def _memo(path: str | None) -> Memo:
    return Memo(Path(path) if path else None)


@cache
def code_digest(entry: str, plugins: tuple[str, ...] = (), memo_path: str | None = None) -> str:
    """Digest (16 hex digits) of an entry 'package.module:function' and of the plug-in modules it looks up by name."""
    memo = _memo(memo_path)
    modules = reached([entry.partition(":")[0], *plugins], memo)
    memo.save()
    text = "\n".join(f"{name} {digest}" for name, digest in sorted(modules.items()))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
