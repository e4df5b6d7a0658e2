"""Pajek networks: `.net` files and the networks of `.paj` project files.

Record: one link as written. A line of *Arcs or *Edges is one record; a line of *Arcslist or *Edgeslist holds
as many as it has neighbours; each non-zero cell of a *Matrix is one, and a symmetric matrix states each tie
twice. Partitions, vectors and other objects of a project are never read as links. Ours, because networkx
takes list rows for single links and partition rows for links, and igraph finds none in several projects,
all without an error.

Reject reasons: bad_id (no positive integer), out_of_range (beyond the declared vertices), ragged (fewer than
two words), bad_weight, not_finite, no_vertices (links outside any network), time_event (an arc or edge added
by a line of a *Events section).
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field

import numpy as np

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs import pajek_sections, textscan
from seedlot.formats.graphs.limits import check_rejects
from seedlot.formats.graphs.model import RawGraph, Reject
from seedlot.formats.graphs.pajek_sections import Section

OPTIONS = frozenset({"format", "encoding"})
_TIME = re.compile(rb"\[ *(-?\d+(?:\.\d+)?)")
_EVENT_LINK = re.compile(rb"^ *A[AE](?= |$)[^\n]*", re.MULTILINE | re.IGNORECASE)
_HEADERS = re.compile(rb"\n *\*")
_NO_RELATION = -1


@dataclass
class _Links:
    """Kept links of one block: (k,) arrays, or None where the block states nothing."""

    src: np.ndarray
    dst: np.ndarray
    directed: bool
    weight: np.ndarray | None = None
    time: np.ndarray | None = None
    relation: np.ndarray | int = _NO_RELATION


@dataclass
class _Network:
    """A network while it is being read."""

    name: str = ""
    n: int | None = None
    left: int | None = None
    labels: list[str] | None = None
    notes: dict[str, str | int] = field(default_factory=dict)
    links: list[_Links] = field(default_factory=list)
    relations: dict[int, str] = field(default_factory=dict)
    rejects: list[Reject] = field(default_factory=list)
    read: int = 0

    def reject(self, line: int, record: int | None, reason: str, text: str) -> None:
        self.rejects.append(Reject(line, record, reason, text))
        check_rejects(len(self.rejects), f"line {line}")


def read(data: bytes, args: dict) -> list[RawGraph]:
    """Every network of a .net or .paj file.

    data: the decompressed file. args: `encoding` of labels and relation names (found out when absent).
    Raises SeedlotError when the file holds no network or declares more vertices than it can hold.
    """
    for word in args:
        if word not in OPTIONS:
            raise unknown("option of the pajek reader", word, OPTIONS)
    encoding = args.get("encoding")
    text = textscan.clean(data)
    networks: list[_Network] = []
    strays = _Network()
    current: _Network | None = None
    other, declared = False, 0
    for section in pajek_sections.split(text):
        if section.kind == "network":
            current, other = _Network(textscan.decode(section.rest, encoding)[0]), False
            networks.append(current)
        elif section.kind in pajek_sections.OTHER_OBJECTS:
            current, other = None, True
        elif section.kind == "vertices" and other:
            other = False
        elif section.kind == "vertices":
            if current is None or current.n is not None:
                current = _Network()
                networks.append(current)
            current.n, current.left = pajek_sections.vertex_counts(section, declared, len(text))
            declared += current.n
            current.labels, notes = pajek_sections.vertex_labels(text, section, current.n, encoding)
            current.notes.update(notes)
        elif section.kind in pajek_sections.LINKS:
            home = current if current is not None and current.n is not None else strays
            _READ[section.kind](text, section, home, encoding)
        elif section.kind == "events":
            _events(text, section, current or strays)
        elif current is not None:
            current.notes["skipped_sections"] = f"{current.notes.get('skipped_sections', '')} {section.kind}"[
                :200
            ].strip()
    networks = [net for net in networks if net.n is not None or net.read]
    if not networks:
        raise SeedlotError("no *Vertices line was found", todo="name the format if this is not a Pajek file")
    networks[0].rejects[:0] = strays.rejects
    networks[0].read += strays.read
    return [_finish(net) for net in networks]


def _finish(net: _Network) -> RawGraph:
    blocks = net.links
    sizes = [len(block.src) for block in blocks]
    m = sum(sizes)

    def gather(part: str, default: float) -> np.ndarray | None:
        parts = [getattr(block, part) for block in blocks]
        if all(values is None for values in parts):
            return None
        return np.concatenate(
            [np.full(size, default) if values is None else values for size, values in zip(sizes, parts)]
        )

    directed = np.repeat([block.directed for block in blocks], sizes) if m else np.zeros(0, bool)
    weight = gather("weight", 1.0)
    if weight is not None and (weight == 1.0).all():
        weight = None
    graph = RawGraph(
        name=net.name,
        n=net.n or 0,
        labels=net.labels,
        id_base=1,
        src=np.concatenate([block.src for block in blocks]) if m else np.zeros(0, np.int64),
        dst=np.concatenate([block.dst for block in blocks]) if m else np.zeros(0, np.int64),
        directed=directed if directed.any() and not directed.all() else bool(directed.any()),
        weight=weight,
        time=gather("time", np.nan),
        relation=_relations(net, blocks, sizes),
        bipartite=net.left is not None,
        n_left=net.left,
        read=net.read,
        kept=m,
        rejects=net.rejects,
        notes=net.notes,
    )
    return graph


def _relations(net: _Network, blocks: list[_Links], sizes: list[int]) -> np.ndarray | None:
    codes = [
        np.full(size, block.relation) if isinstance(block.relation, int) else block.relation
        for block, size in zip(blocks, sizes)
    ]
    code = np.concatenate(codes) if codes else np.zeros(0, np.int64)
    if not (code != _NO_RELATION).any():
        return None
    numbers, inverse = np.unique(code, return_inverse=True)
    names = [net.relations.get(k) or ("" if k == _NO_RELATION else str(k)) for k in numbers.tolist()]
    table = np.empty(len(names), object)
    table[:] = names
    return table[inverse]


def _number_of(section: Section, net: _Network, encoding: str | None) -> int:
    number, label = pajek_sections.relation(section.rest, encoding)
    if number is None:
        return _NO_RELATION
    if label:
        net.relations[number] = label
    return number


def _link_lines(text: bytes, section: Section, net: _Network, encoding: str | None) -> None:
    """*Arcs and *Edges: `[r:] v1 v2 [value] [parameters and time]`, one link a line."""
    number = _number_of(section, net, encoding)
    line = section.line + 1
    for start, stop in textscan.blocks(text, section.start, section.stop):
        words = textscan.scan(text, start, stop)
        _link_block(words, section.kind == "arcs", number, net, line)
        line += words.lines


def _link_block(words: textscan.Words, directed: bool, number: int, net: _Network, line: int) -> None:
    rows = len(words.first)
    if not rows:
        return
    first, count = words.first.copy(), words.count.copy()
    relation: np.ndarray | int = number
    reason = np.zeros(rows, np.uint8)
    tagged = np.flatnonzero(words.buf[words.ends[first] - 1] == ord(":"))
    if len(tagged):
        relation = np.full(rows, number)
        head = first[tagged]
        value, ok = textscan.integers(words.buf, words.starts[head], words.ends[head] - 1)
        relation[tagged] = value
        textscan.blame(reason, tagged[~ok], "bad_id")
        first[tagged] += 1
        count[tagged] -= 1
    last = len(words.starts) - 1
    src, src_ok = words.integers(np.minimum(first, last))
    dst, dst_ok = words.integers(np.minimum(first + 1, last))
    textscan.blame(reason, count < 2, "ragged")
    textscan.blame(reason, ~(src_ok & dst_ok), "bad_id")
    n = net.n or 0
    textscan.blame(
        reason,
        (src < 1) | (src > n) | (dst < 1) | (dst > n),
        "no_vertices" if net.n is None else "out_of_range",
    )
    weight = _weights(words, first, count, reason)
    good = reason == 0
    for row in np.flatnonzero(~good).tolist():
        net.reject(
            line + int(words.line[row]), net.read + row, textscan.REASONS[reason[row]], words.text(row)
        )
    net.read += rows
    net.links.append(
        _Links(
            src[good] - 1,
            dst[good] - 1,
            directed,
            weight if weight is None else weight[good],
            _times(words, good),
            relation if isinstance(relation, int) else relation[good],
        )
    )


def _weights(
    words: textscan.Words, first: np.ndarray, count: np.ndarray, reason: np.ndarray
) -> np.ndarray | None:
    """Third words as weights, 1 where there is none; marks rows whose third word is a broken number."""
    valued = np.flatnonzero((count > 2) & (reason == 0))
    if not len(valued):
        return None
    weight = np.ones(len(first))
    value, ok = words.numbers(first[valued] + 2)
    weight[valued[ok]] = value[ok]
    for row in valued[~ok].tolist():
        word = words.word(first[row] + 2)
        # A link without a value may go on with drawing parameters (c Blue) or a time ([5-7]).
        if word[:1] != b"[" and not word[:1].isalpha():
            reason[row] = textscan.REASONS.index(textscan.cell_reason(word))
    return weight


def _times(words: textscan.Words, good: np.ndarray) -> np.ndarray | None:
    """First instant of the interval in square brackets, NaN for links without one; None without any."""
    piece = words.buf.tobytes()
    if b"[" not in piece:
        return None
    time = np.full(len(good), np.nan)
    begins = words.starts[words.first]
    for match in _TIME.finditer(piece):
        row = int(np.searchsorted(begins, match.start(), side="right")) - 1
        if row >= 0 and np.isnan(time[row]):
            time[row] = float(match[1])
    return time[good]


def _neighbour_lines(text: bytes, section: Section, net: _Network, encoding: str | None) -> None:
    """*Arcslist and *Edgeslist: a vertex, then its neighbours, each of them a link."""
    number = _number_of(section, net, encoding)
    line = section.line + 1
    n, outside = (net.n, "out_of_range") if net.n is not None else (0, "no_vertices")
    for start, stop in textscan.blocks(text, section.start, section.stop):
        words = textscan.scan(text, start, stop)
        rows, degree = len(words.first), words.count - 1
        row = np.repeat(np.arange(rows), degree)
        # The j-th link of a line is its word j + 1: count on from the start of each line's run of links.
        step = np.arange(len(row)) - np.repeat(np.cumsum(degree) - degree, degree)
        head, head_ok = words.integers(words.first)
        dst, dst_ok = words.integers(words.first[row] + 1 + step)
        src, src_ok = head[row], head_ok[row]
        reason = np.zeros(len(row), np.uint8)
        textscan.blame(reason, ~(src_ok & dst_ok), "bad_id")
        textscan.blame(reason, (src < 1) | (src > n) | (dst < 1) | (dst > n), outside)
        good = reason == 0
        for k in np.flatnonzero(~good).tolist():
            word = words.word(words.first[row[k]] + 1 + step[k]).decode("latin-1")
            shown = f"{words.word(words.first[row[k]]).decode('latin-1')} {word}"
            net.reject(line + int(words.line[row[k]]), net.read + k, textscan.REASONS[reason[k]], shown)
        net.read += len(row)
        net.links.append(_Links(src[good] - 1, dst[good] - 1, section.kind == "arcslist", relation=number))
        line += words.lines


def _matrix(text: bytes, section: Section, net: _Network, encoding: str | None) -> None:
    """*Matrix: n x n cells, or n_left x n_right for two-mode networks; every non-zero cell is an arc."""
    number = _number_of(section, net, encoding)
    n = net.n or 0
    spans = list(textscan.blocks(text, section.start, section.stop))
    counts = [textscan.scan(text, *span).count for span in spans]
    total = int(sum(count.sum() for count in counts))
    shape = (n, n) if net.left is None or total == n * n else (net.left, n - net.left)
    # Rows may be wrapped over several lines; then only the position in the whole section tells the cell.
    even = all((count == shape[1]).all() for count in counts)
    running = not even and total == shape[0] * shape[1]
    line, above, before = section.line + 1, 0, 0
    for span in spans:
        words = textscan.scan(text, *span)
        at_row = np.repeat(np.arange(len(words.first)), words.count)
        ordinal = np.arange(len(at_row))
        within = ordinal - np.repeat(np.cumsum(words.count) - words.count, words.count)
        word = words.first[at_row] + within
        if running:
            row, column = np.divmod(before + ordinal, shape[1])
        else:
            row, column = above + at_row, within
        value, ok = words.numbers(word)
        cell = np.flatnonzero(~ok | (value != 0))
        reason = np.zeros(len(cell), np.uint8)
        for k in np.flatnonzero(~ok[cell]).tolist():
            reason[k] = textscan.REASONS.index(textscan.cell_reason(words.word(word[cell[k]])))
        outside = (row[cell] >= shape[0]) | (column[cell] >= shape[1])
        textscan.blame(reason, outside, "no_vertices" if net.n is None else "out_of_range")
        good = reason == 0
        for k in np.flatnonzero(~good).tolist():
            at, shown = cell[k], words.word(word[cell[k]]).decode("latin-1")
            where = f"row {row[at] + 1}, column {column[at] + 1}: {shown}"
            net.reject(line + int(words.line[at_row[at]]), net.read + k, textscan.REASONS[reason[k]], where)
        net.read += len(cell)
        kept = cell[good]
        shift = 0 if shape[0] == n else shape[0]
        net.links.append(_Links(row[kept], column[kept] + shift, True, value[kept], relation=number))
        line, above, before = line + words.lines, above + len(words.first), before + len(at_row)
    if not even and not running:
        net.notes["ragged_matrix"] = f"line {section.line}"


def _events(text: bytes, section: Section, net: _Network) -> None:
    """Time events build a network step by step; the links they add are refused by name."""
    for match in _EVENT_LINK.finditer(text, section.start, section.stop):
        line = textscan.line_number(text, match.start())
        net.reject(line, net.read, "time_event", match[0].decode("latin-1").strip())
        net.read += 1


_READ = {
    "arcs": _link_lines,
    "edges": _link_lines,
    "arcslist": _neighbour_lines,
    "edgeslist": _neighbour_lines,
    "matrix": _matrix,
}


def count(data: bytes, args: dict) -> int:
    """Links of the file by line and word counts alone; independent of `read` but for the cleaning of bytes."""
    total = 0
    for part in _HEADERS.split(b"\n" + textscan.clean(data))[1:]:
        head, _, body = part.partition(b"\n")
        kind = head.strip(b" ").partition(b" ")[0].partition(b":")[0].lower()
        if kind not in (b"arcs", b"edges", b"arcslist", b"edgeslist", b"matrix", b"events"):
            continue
        if b"%" in body:
            body = re.sub(rb"(?m)^ *%[^\n]*", b"", body)
        body = b"\n" + body + b"\n"
        rows = body.count(b"\n") - 1
        if b"\n\n" in body or b" \n" in body:
            rows -= len(re.findall(rb"\n *(?=\n)", body))
        if kind in (b"arcs", b"edges"):
            total += rows
        elif kind == b"events":
            total += sum(
                row.split(b" ", 1)[0].upper() in (b"AA", b"AE") for row in map(bytes.strip, body.split(b"\n"))
            )
        else:
            # Line by line, for a list of all words of a large matrix would not fit into memory.
            words = (row.split() for row in io.BytesIO(body))
            total += sum(map(_nonzeros, words)) if kind == b"matrix" else sum(map(len, words)) - rows
    return total


def _nonzeros(words: list[bytes]) -> int:
    return sum(map(_nonzero, words))


def _nonzero(word: bytes) -> bool:
    try:
        return b"_" in word or float(word) != 0
    except ValueError:
        return True
