"""Adjacency lists as text: a node, then its neighbours, one node a line (networkx's `adjlist`).

A record is a neighbour. A node on a line of its own is declared without links. Labels are text as written.
Ours, on `tokens`: networkx makes a Python object of every token, and cannot say which line was wrong.
"""

from __future__ import annotations

import re

import numpy as np

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs import tokens
from seedlot.formats.graphs.model import RawGraph

OPTIONS = ("comments", "directed")
_INTEGER = re.compile("0|-?[1-9][0-9]{0,17}")


def read(data: bytes, args: dict) -> list[RawGraph]:
    """The network of an adjacency list.

    args: comments (string of characters that start a comment line, default #), directed (bool, default no).
    Nodes are in ascending order where all are whole numbers, else in order of first appearance. Raises
    SeedlotError for a text without a record.
    """
    for key in args:
        if key not in (*OPTIONS, "format"):
            raise unknown("reader option", key, OPTIONS)
    fields = tokens.split(tokens.normalise(data), None, args.get("comments", "#").encode())
    if not len(fields):
        raise SeedlotError(
            "the adjacency list holds no node", todo="check the file and the 'comments' option"
        )
    within = np.arange(int(fields.width.sum())) - np.repeat(
        np.cumsum(fields.width) - fields.width, fields.width
    )
    every = np.repeat(fields.first, fields.width) + within
    cells = tokens.gather(fields.buf, fields.start[every], fields.end[every]).dictionary_encode()
    code = cells.indices.to_numpy().astype(np.int64)
    head = np.repeat(code[within == 0], fields.width)
    src, dst = head[within > 0], code[within > 0]
    labels = tokens.strings(cells.dictionary)
    if all(_INTEGER.fullmatch(label) for label in labels):
        place = np.argsort(np.array([int(label) for label in labels], object), kind="stable")
        labels = [labels[k] for k in place]
        rank = np.argsort(place)
        src, dst = rank[src], rank[dst]
    return [
        RawGraph(
            name="",
            n=len(labels),
            labels=labels,
            id_base=0,
            src=src,
            dst=dst,
            directed=bool(args.get("directed", False)),
            read=len(src),
            kept=len(src),
        )
    ]


def count(data: bytes, args: dict) -> int:
    """Words of all lines that are no comment, less one a line."""
    comments = tuple(bytes([mark]) for mark in args.get("comments", "#").encode())
    lines = [line.split() for line in tokens.normalise(data).split(b"\n")]
    return sum(len(words) - 1 for words in lines if words and not words[0].startswith(comments))
