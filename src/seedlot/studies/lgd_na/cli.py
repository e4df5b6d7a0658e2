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
    add("--order", help="follow the removal order in the first column of a CSV instead of a method")
    add("--method-cmd", help="run a command that prints nodes in order; {edges} is a file of links `i j`")
    add("--time-limit", type=float, help="seconds after which a method is given up")
    add("--seed", type=int, default=0, help="seed of the random methods (default: 0)")
    add("--json", action="store_true", help="print JSON: one object per file, method and reinsertion")
    add("--plot", type=Path, help="draw the curves into an SVG file")
    add("--out", type=Path, help="folder for results.json and one CSV of removals per result")


def run(args: argparse.Namespace) -> int:
    """Dismantle every file; returns 1 when a result is missing for lack of time, else 0."""
    from seedlot.studies.lgd_na.owndata import read_network

    names = [Path(file).name for file in args.files]
    twice = next((name for name in names if args.out and names.count(name) > 1), None)
    if twice:
        raise SeedlotError(
            f"two files are called {twice}, and --out names results by file", todo="rename one"
        )
    results: list[tuple[str, Any]] = []
    for name, file in zip(names, args.files):
        network = read_network(file, args.format)
        if network.refusal:
            print(f"{name}: {network.refusal}", file=sys.stderr)
        results += [(name, one) for one in _results(network, args)]
    rows = [one.to_dict() for _, one in results]
    if args.json:
        print(json.dumps(rows[0] if len(rows) == 1 else rows))
    else:
        print(_table(results))
    if args.out:
        _write(args.out, results)
    if args.plot:
        from seedlot.studies.lgd_na.ownplot import draw

        draw(args.plot, results)
    return 1 if any(one.stop_reason == "time_limit" for _, one in results) else 0


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
    """The results as aligned text."""
    head = [
        "file",
        "method",
        "reinsert",
        "nodes",
        "links",
        "removals",
        "auc_paper",
        "r_schneider",
        "seconds",
        "first removed",
    ]
    lines = [head]
    for file, one in results:
        number = "-" if one.n_removals is None else str(one.n_removals)
        values = ["-" if v is None else f"{v:.5f}" for v in (one.auc_paper, one.r_schneider)]
        first = ", ".join(str(label) for label in one.removals[:4]) or one.stop_reason
        line = [
            file,
            one.method,
            one.reinsert,
            str(one.lcc_n),
            str(one.lcc_m),
            number,
            *values,
            f"{one.seconds:.2f}",
            first,
        ]
        lines.append(line)
    widths = [max(len(line[k]) for line in lines) for k in range(len(head))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, widths)).rstrip() for line in lines)


def _write(folder: Path, results: list[tuple[str, Any]]) -> None:
    """results.json (always a list, with the file names) and one CSV of removals per result."""
    import csv
    import io

    from seedlot.store.atomic import write_text

    folder.mkdir(parents=True, exist_ok=True)
    rows = [{"file": file} | one.to_dict() for file, one in results]
    write_text(folder / "results.json", json.dumps(rows, indent=1) + "\n")
    for file, one in results:
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(["step", "label", "lcc"])
        table.writerows(zip(range(1, len(one.curve)), one.removals, one.curve[1:]))
        write_text(folder / f"{file}.{one.method}.{one.reinsert}.csv", text.getvalue())
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
