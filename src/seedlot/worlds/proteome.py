"""A small simulated proteome: accessions, sequences and domain spans that several simulated sources agree on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

ALPHABET = "ACDEFGHIKLMNPQRSTVWY"
# Background frequencies in percent are rounded UniProtKB/Swiss-Prot composition, in the order of ALPHABET.
PERCENT = (8.3, 1.4, 5.5, 6.7, 3.9, 7.1, 2.3, 5.9, 5.8, 9.7, 2.4, 4.1, 4.7, 3.9, 5.5, 6.6, 5.4, 6.9, 1.1, 2.9)
ENTRIES = (
    ("IPR000001", "Kringle", "PF00051", 80),
    ("IPR000008", "C2 domain", "PF00168", 105),
    ("IPR000504", "RNA recognition motif domain", "PF00076", 70),
    ("IPR000719", "Protein kinase domain", "PF00069", 260),
    ("IPR001452", "SH3 domain", "PF00018", 48),
    ("IPR001841", "Zinc finger, RING-type", "PF13639", 44),
)


@dataclass(frozen=True)
class Span:
    """One planted domain: half-open 0-based residues [start0, end0) of a protein."""

    entry: str
    name: str
    signature: str
    start0: int
    end0: int


@dataclass(frozen=True)
class Protein:
    """One simulated protein; uid has the shape of a six-character UniProtKB accession."""

    uid: str
    sequence: str
    spans: tuple[Span, ...]


def accession(number: int) -> str:
    """The accession of the n-th protein: P, digit, three of [A-Z0-9], digit, from a mixed-radix expansion."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    rest, last = divmod(number, 10)
    middle = ""
    for _ in range(3):
        rest, digit = divmod(rest, 36)
        middle = letters[digit] + middle
    return f"P{rest % 10}{middle}{last}"


def proteome(n: int, seed: int) -> list[Protein]:
    """`n` proteins from one seed. Each holds 0 to 3 domains of ENTRIES, in order, without overlap.

    Domain lengths are normal around the entry's usual length (8 % standard deviation), linkers geometric
    with mean 40 residues.
    """
    out = []
    for number in range(n):
        rng = np.random.default_rng([seed, number])
        position = 1 + int(rng.geometric(1 / 40))
        spans = []
        for which in rng.choice(len(ENTRIES), size=int(rng.integers(0, 4))):
            entry, name, signature, usual = ENTRIES[which]
            length = max(10, round(usual * (1 + 0.08 * float(rng.standard_normal()))))
            spans.append(Span(entry, name, signature, position, position + length))
            position += length + int(rng.geometric(1 / 40))
        weights = np.array(PERCENT) / sum(PERCENT)
        residues = rng.choice(list(ALPHABET), size=max(position, 30), p=weights)
        out.append(Protein(accession(number), "".join(residues), tuple(spans)))
    return out
