"""Where the sections of a Pajek file begin and end, and what its vertex lines say."""

from __future__ import annotations

import re
from dataclasses import dataclass

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs import textscan
from seedlot.formats.graphs.limits import check_nodes

LINKS = frozenset({"arcs", "edges", "arcslist", "edgeslist", "matrix"})
OTHER_OBJECTS = frozenset({"partition", "vector", "cluster", "permutation", "hierarchy"})

# Most labels hold no quotation mark; one that does ends at the last mark of its line.
_VERTEX = re.compile(
    rb'\n *(\d{1,16})(?: +(?:"([^"\n]*)"(?=[ \n])|"([^\n]*)"(?=[ \n])|"([^\n]*)|([^ "%\n][^ \n]*)))?'
)
_CONTENT = re.compile(rb"\n *[^ %\n]")
_RELATION = re.compile(r":\s*(\d{1,9})(?!\d)(.*)")


@dataclass(frozen=True)
class Section:
    """kind: the word after the star, lower case. rest: what follows it on the header line.
    line: 1-based line of the header. start, stop: offsets of the body."""

    kind: str
    rest: bytes
    line: int
    start: int
    stop: int


def split(data: bytes) -> list[Section]:
    """The sections of a cleaned Pajek file: each begins with a line whose first character is a star."""
    heads = []
    at = data.find(b"*")
    while at >= 0:
        begin = data.rfind(b"\n", 0, at) + 1
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        # Any other star on this line is part of a name or a label, so the search goes on behind the line.
        if not data[begin:at].strip(b" "):
            heads.append((begin, at, end))
        at = data.find(b"*", end)
    sections, line, seen = [], 1, 0
    for k, (begin, at, end) in enumerate(heads):
        line += data.count(b"\n", seen, begin)
        seen = begin
        kind, _, rest = data[at + 1 : end].strip(b" ").partition(b" ")
        if b":" in kind:
            kind, _, tail = kind.partition(b":")
            rest = b":" + tail + b" " + rest
        stop = heads[k + 1][0] if k + 1 < len(heads) else len(data)
        sections.append(
            Section(kind.decode("latin-1").lower(), rest.strip(b" "), line, min(end + 1, stop), stop)
        )
    return sections


def relation(rest: bytes, encoding: str | None) -> tuple[int | None, str]:
    """Number and label of the relation named by a link section's header, (None, '') when it names none."""
    match = _RELATION.match(textscan.decode(rest, encoding)[0].strip())
    if not match:
        return None, ""
    label = match[2].strip()
    quoted = len(label) > 1 and label[0] == label[-1] == '"'
    return int(match[1]), label[1:-1] if quoted else label


def vertex_counts(section: Section, before: int, size: int) -> tuple[int, int | None]:
    """Number of vertices and, for two-mode networks, of those in the first set.

    before: vertices that earlier networks of the file declare. size: bytes of the file, against which an
    absurd total is refused. Raises SeedlotError.
    """
    where = f"line {section.line}"
    numbers = section.rest.split()[:2]
    if not numbers or not numbers[0].isdigit() or len(numbers[0]) > 18:
        shown = section.rest[:60].decode("latin-1")
        raise SeedlotError(f"*Vertices must be followed by a number, seen '{shown}'", where=where)
    n = check_nodes(before + int(numbers[0]), size, where) - before
    left = int(numbers[1]) if len(numbers) > 1 and numbers[1].isdigit() and len(numbers[1]) <= 18 else n
    return n, left if 0 < left < n else None


def vertex_labels(
    data: bytes, section: Section, n: int, encoding: str | None
) -> tuple[list[str] | None, dict[str, str | int]]:
    """Labels of the n vertices and notes about the vertex lines.

    A vertex without a line, or without a label on it, is called by its number. None when no line carries a
    label. Lines that are no vertex lines, or name a vertex outside 1..n, are counted in the notes.
    """
    body = b"\n" + data[section.start : section.stop] + b"\n"
    found = _VERTEX.findall(body)
    numbers = [int(line[0]) for line in found]
    names = [a or b or c or d for _, a, b, c, d in found]
    notes = _odd_lines(body, numbers, n)
    if not any(names):
        return None, notes
    text, notes["encoding"] = textscan.decode(b"\n".join(names), encoding)
    given = [name.strip() for name in text.split("\n")]
    if len(numbers) == n and all(given) and numbers == list(range(1, n + 1)):
        return given, notes
    labels = list(map(str, range(1, n + 1)))
    for i, name in zip(numbers, given):
        if name and 0 < i <= n:
            labels[i - 1] = name
    return labels, notes


def _odd_lines(body: bytes, numbers: list[int], n: int) -> dict[str, str | int]:
    """Counts of vertex lines that name no vertex of 1..n, or no vertex at all, where there are any."""
    notes: dict[str, str | int] = {}
    rows = (
        len(_CONTENT.findall(body))
        if b"%" in body or b"\n\n" in body or b"\n " in body
        else body.count(b"\n") - 1
    )
    if rows != len(numbers):
        notes["vertex_lines_not_understood"] = rows - len(numbers)
    if numbers and (min(numbers) < 1 or max(numbers) > n):
        notes["vertex_lines_out_of_range"] = sum(not 0 < i <= n for i in numbers)
    return notes
