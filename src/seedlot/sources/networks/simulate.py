"""Simulated raw files: `sim:<generator>?<parameters>&seed=<integer>` -> a file in the format of the row.

Beside each file lies its truth: label, position, block, r and theta of every node, which the file does not tell.
"""

from __future__ import annotations

import inspect
from urllib.parse import parse_qsl

import numpy as np

from seedlot.catalog import simulated
from seedlot.catalog.manifest import Row, raw_path
from seedlot.catalog.tsv import write_tsv
from seedlot.config.errors import SeedlotError, unknown
from seedlot.sources.networks.generators import GENERATORS, Planted
from seedlot.sources.networks.rawfiles import raw_file
from seedlot.store.job import Job

TRUTH_ENDING = ".truth.tsv"
TRUTH_COLUMNS = ("label", "position", "block", "r", "theta")


def run(job: Job) -> None:
    """Write the raw files and truth tables of simulated rows, and their receipt.

    params: source, rows (manifest rows as dicts). output: receipt. Raises SeedlotError for a row that asks for
    something impossible: rows are committed, so that is a mistake in the manifest.
    """

    def make(row: Row) -> bytes:
        data, truth = simulate(row.item, row.url, row.extra.get("format", ""))
        path = raw_path(job.root, job.params["source"], row)
        write_tsv(path.with_name(path.name + TRUTH_ENDING), TRUTH_COLUMNS, truth)
        return data

    rows = [Row.from_dict(values) for values in job.params["rows"]]
    simulated.simulate(rows, job.root, job.params["source"], job.output["receipt"], make)


def simulate(name: str, url: str, fmt: str) -> tuple[bytes, list[list[str]]]:
    """Bytes of the raw file and rows of its truth table (TRUTH_COLUMNS, '' where the model has no such thing).

    Beside the generator's own parameters a url may ask for `loops` self-loops and `dups` repeated links in the
    file, 0 by default. Raises SeedlotError for an unknown generator, parameter or format.
    """
    generator, _, query = url.removeprefix("sim:").partition("?")
    if generator not in GENERATORS:
        raise unknown("generator", generator, GENERATORS, where=url)
    options = {key: _number(key, text, url) for key, text in parse_qsl(query)}
    seed, loops, dups = (int(options.pop(key, 0)) for key in ("seed", "loops", "dups"))
    function = GENERATORS[generator]
    wanted = [key for key in inspect.signature(function).parameters if key != "rng"]
    for key in options:
        if key not in wanted:
            raise unknown(f"parameter of generator '{generator}'", key, wanted, where=url)
    if len(options) < len(wanted):
        missing = [key for key in wanted if key not in options]
        raise SeedlotError(f"generator '{generator}' needs {', '.join(missing)}", where=url)
    rng = np.random.default_rng(seed)
    planted = function(rng, **options)
    made = raw_file(fmt, name, planted.n, _with_quirks(rng, planted, loops, dups))
    return made.data, _truth(made.labels, planted)


def _number(key: str, text: str, url: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise SeedlotError(f"parameter '{key}' must be a number, saw '{text}'", where=url) from None


def _with_quirks(rng: np.random.Generator, planted: Planted, loops: int, dups: int) -> list[tuple[int, int]]:
    """The links, `dups` of them listed twice, and loops at `loops` nodes, all in random order."""
    links = planted.links
    if loops > planted.n or dups > len(links):
        raise SeedlotError(
            f"{loops} loops and {dups} repeats do not fit {planted.n} nodes, {len(links)} links"
        )
    nodes = rng.choice(planted.n, size=loops, replace=False)
    again = links[rng.choice(len(links), size=dups, replace=False)]
    every = np.concatenate((links, again, np.column_stack((nodes, nodes))))
    return [(i, j) for i, j in rng.permutation(every).tolist()]


def _truth(labels: list[str], planted: Planted) -> list[list[str]]:
    columns = [
        [""] * planted.n if values is None else [repr(value) for value in values.tolist()]
        for values in (planted.block, planted.r, planted.theta)
    ]
    return [[label, str(i), *cells] for i, (label, *cells) in enumerate(zip(labels, *columns))]
