"""The command `seedlot dismantle`: any network file, no workflow."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from seedlot.config.errors import SeedlotError

EXAMPLE = "seedlot dismantle my.graphml --method cnd,nbc,degree --reinsert none,r1 --plot curves.svg"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Files, methods, options of the run, outputs."""
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="network files in any known format, compressed or not")
    add("--format", help="graph format of all files (default: detected)")
    add("--reader", action="append", default=[], metavar="NAME=VALUE",
        help="argument of the reader, repeatable: member=a.txt, network=2, header=true, delimiter=;")  # fmt: skip
    add("--method", default=None, help="methods, comma separated (default: cnd)")
    add("--reinsert", default="none", help="none, r1, r2, r3, comma separated (default: none)")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--dynamic", dest="mode", action="store_const", const="dynamic", default="dynamic",
                      help="renew scores after each removal (default)")  # fmt: skip
    mode.add_argument("--static", dest="mode", action="store_const", const="static", help="score once")
    add("--stop", type=float, default=0.1, help="share of the nodes that may stay connected (default: 0.1)")
    add("--ties", default="exact", help="ties of the local rules: exact, csr, round9 (default: exact)")
    add("--cost", help="report the cost of removals: degree, or a column of the table given by --nodes")
    add("--nodes", help="CSV with node labels in its first column, for --cost COLUMN")
    add(
        "--order", help="follow the removal order in a CSV (column label, else the first) instead of a method"
    )
    add("--method-cmd", help="run a command that prints nodes in order; {edges} is a file of links `i j`")
    add("--time-limit", type=float, help="seconds after which a method is given up")
    add("--seed", type=int, default=0, help="seed of the random methods (default: 0)")
    add(
        "--json",
        action="store_true",
        help="print JSON: an object, or a list of them when there are several results",
    )
    add("--plot", type=Path, help="draw the curves into an SVG file")
    add("--out", type=Path, help="folder for results.json and one CSV of removals per result")


def run(args: argparse.Namespace) -> int:
    """Dismantle every file; returns 1 when a result is missing for lack of time, else 0."""
    from seedlot.studies.lgd_na.jit import is_cold
    from seedlot.studies.lgd_na.owndata import read_network

    _check(args)
    if is_cold():
        print("first use: compiling to machine code, kept for later (up to a minute)", file=sys.stderr)
    names = [Path(file).name for file in args.files]
    twice = next((name for name in names if args.out and names.count(name) > 1), None)
    if twice:
        raise SeedlotError(
            f"two files are called {twice}, and --out names results by file", todo="rename one"
        )
    results: list[tuple[str, Any]] = []
    for name, file in zip(names, args.files):
        network = read_network(file, args.format, _reader_args(args.reader))
        for remark in network.remarks:
            print(f"{name}: {remark}", file=sys.stderr)
        results += [(name, one) for one in _results(network, args)]
    rows = [one.to_dict() for _, one in results]
    if args.json:
        print(json.dumps(rows[0] if len(rows) == 1 else rows))
    else:
        print(_table(results))
    if args.out:
        _write(args.out, results, {"mode": args.mode, "seed": args.seed})
    if args.plot:
        from seedlot.studies.lgd_na.ownplot import draw

        draw(args.plot, results)
    return 1 if any(one.stop_reason == "time_limit" for _, one in results) else 0


def _check(args: argparse.Namespace) -> None:
    """Refuse what cannot work before anything is computed."""
    for name in ("format", "method", "reinsert", "cost", "nodes", "order", "method_cmd"):
        if getattr(args, name) == "":
            raise SeedlotError(f"--{name.replace('_', '-')} is empty", todo="give it a value or leave it out")
    if args.nodes and args.cost in (None, "degree"):
        raise SeedlotError("--nodes is only used with --cost COLUMN", todo="add --cost and the column's name")
    if args.plot and (args.plot.suffix.lower() != ".svg" or args.plot.is_dir()):
        raise SeedlotError(
            f"--plot writes an SVG file, got '{args.plot}'", todo="name a file that ends in .svg"
        )
    if args.plot and not args.plot.parent.is_dir():
        raise SeedlotError(
            f"no folder '{args.plot.parent}'", todo="make it, or choose another place for --plot"
        )
    if args.out and args.out.exists() and not args.out.is_dir():
        raise SeedlotError(f"--out is a folder, and '{args.out}' is a file", todo="choose another name")


def _reader_args(words: list[str]) -> dict[str, Any]:
    """NAME=VALUE words as reader arguments; values are JSON where they can be, else text."""
    out: dict[str, Any] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name:
            raise SeedlotError(
                f"--reader takes NAME=VALUE, got '{word}'", todo="for example --reader member=a.txt"
            )
        try:
            out[name] = json.loads(value)
        except ValueError:
            out[name] = value
    return out


def _results(network: Any, args: argparse.Namespace) -> list[Any]:
    """Results of one network: every method given, or else the order or command."""
    from seedlot.studies.lgd_na import api

    reinserts = args.reinsert.split(",")
    costs = _costs(network, args)
    same = {"stop": args.stop, "costs": costs}
    out: list[Any] = []
    if args.order:
        out += api.follow_file(network, args.order, reinserts, **same)
    if args.method_cmd:
        out += api.follow_command(network, args.method_cmd, reinserts, time_limit=args.time_limit, **same)
    methods = args.method.split(",") if args.method else [] if out else ["cnd"]
    for name in methods:
        limits = {"seed": args.seed, "time_limit": args.time_limit, "ties": args.ties, "mode": args.mode}
        out += api.dismantle_all(network, name, reinserts, **limits, **same)
    return out


def _costs(network: Any, args: argparse.Namespace) -> Any:
    """Cost of each node, or None."""
    from seedlot.studies.lgd_na.owndata import read_costs

    if args.cost in (None, "degree"):
        return network.graph.degree if args.cost else None
    if not args.nodes:
        raise SeedlotError(
            f"--cost {args.cost} needs the table it is a column of", todo="add --nodes nodes.csv"
        )
    return read_costs(args.nodes, args.cost, network)


def _table(results: list[tuple[str, Any]]) -> str:
    """The results as aligned text; costs, and why an attack ended early, only where there is something to say."""
    rows = []
    for file, one in results:
        row = {"file": file, "method": one.method, "reinsert": one.reinsert}
        row |= {"nodes": str(one.lcc_n), "links": str(one.lcc_m)}
        row["removals"] = "-" if one.n_removals is None else str(one.n_removals)
        for name in ("auc_paper", "r_schneider"):
            value = getattr(one, name)
            row[name] = "-" if value is None else f"{value:.5f}"
        row["cost"] = f"{one.cost[-1]:.4f}" if one.cost else ""
        row["seconds"] = f"{one.seconds:.2f}"
        row["ended by"] = "" if one.stop_reason == "lcc_reached" else one.stop_reason
        row["first removed"] = ", ".join(str(label) for label in one.removals[:4])
        rows.append(row)
    head = [name for name in rows[0] if name not in ("cost", "ended by") or any(row[name] for row in rows)]
    lines = [head, *([row[name] for name in head] for row in rows)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(head))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, widths)).rstrip() for line in lines)


def _write(folder: Path, results: list[tuple[str, Any]], asked: dict[str, Any]) -> None:
    """results.json (always a list, with file names and what was asked) and one CSV of removals per result."""
    import csv
    import io

    from seedlot.store.atomic import write_text

    folder.mkdir(parents=True, exist_ok=True)
    rows = [{"file": file} | asked | one.to_dict() for file, one in results]
    write_text(folder / "results.json", json.dumps(rows, indent=1) + "\n")
    used: set[str] = set()
    for file, one in results:
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(["step", "label", "lcc", *(["cost"] if one.cost else [])])
        table.writerows(
            zip(range(1, len(one.curve)), one.removals, one.curve[1:], *([one.cost[1:]] if one.cost else []))
        )
        stem, turn = f"{file}.{one.method}.{one.reinsert}", 1
        while (name := f"{stem}.csv" if turn == 1 else f"{stem}.{turn}.csv") in used:
            turn += 1  # an order file called like a method
        used.add(name)
        write_text(folder / name, text.getvalue())
    print(f"wrote {len(results) + 1} files to {folder}", file=sys.stderr)


COMMANDS: list[Any] = [
    SimpleNamespace(
        name="dismantle",
        help="break a network of your own apart, by any method or removal order",
        example=EXAMPLE,
        add_arguments=add_arguments,
        run=run,
    )
]
