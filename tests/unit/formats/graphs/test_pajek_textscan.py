"""Bulk scanning of words and numbers against Python's own conversion, word by word."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs import textscan

DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def scan(words):
    data = " ".join(words).encode()
    return textscan.scan(data, 0, len(data))


ODD = [
    "-",
    ".",
    "-.",
    "5.",
    ".5",
    "-0",
    "1.2.3",
    "1e5",
    "+3",
    "nan",
    "inf",
    "1_0",
    "1,5",
    "--1",
    "1-2",
    "0x1",
]
ODD += [
    "12345678",
    "123456789",
    "1234567890123456",
    "12345678901234567",
    "9007199254740993",
    "1e999",
    "/",
    ":",
]
ODD += ["0.000000000000001", "123456789012345.", "00.50", "9" * 60, "1" + "0" * 50]
words = st.one_of(
    st.sampled_from(ODD),
    st.integers(-(10**18), 10**18).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(-(10**6), 10**6, places=6).map(str),
    st.text("0123456789.-+eE/:", min_size=1, max_size=20),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(words, min_size=1, max_size=30))
def test_numbers_agree_with_float_to_the_last_bit(texts):
    value, ok = scan(texts).numbers(np.arange(len(texts)))
    for text, v, fine in zip(texts, value.tolist(), ok.tolist()):
        plain = DECIMAL.fullmatch(text) is not None and np.isfinite(float(text))
        assert fine == plain, text
        assert not fine or v == float(text), text


@settings(max_examples=100, deadline=None)
@given(st.lists(words, min_size=1, max_size=30))
def test_integers_agree_with_int(texts):
    value, ok = scan(texts).integers(np.arange(len(texts)))
    for text, v, fine in zip(texts, value.tolist(), ok.tolist()):
        assert fine == bool(re.fullmatch(r"[0-9]{1,16}", text)), text
        assert not fine or v == int(text), text


def test_lines_words_and_comments_are_counted_as_they_stand():
    data = b"  a b\n\n% c d\ne\n   \nf g h"
    got = textscan.scan(data, 0, len(data))
    assert got.line.tolist() == [0, 3, 5]
    assert got.count.tolist() == [2, 1, 3]
    assert [got.text(i) for i in range(3)] == ["a b", "e", "f g h"]
    assert got.lines == 5


def test_blocks_cut_only_behind_line_feeds_and_cover_everything():
    data = b"12345\n1\n" * 20 + b"x" * 500 + b"\nlast"
    spans = list(textscan.blocks(data, 3, len(data), 16))
    assert spans[0][0] == 3 and spans[-1][1] == len(data)
    assert all(b == c for (_, b), (c, _) in zip(spans, spans[1:]))
    assert all(data[b - 1 : b] == b"\n" for _, b in spans[:-1])


def test_a_broken_utf16_text_is_refused():
    with pytest.raises(SeedlotError, match="UTF-16"):
        textscan.clean(b"\xff\xfea")


def test_bytes_that_no_page_defines_are_still_decoded():
    assert textscan.decode(b"\x81a") == ("\x81a", "latin-1")
