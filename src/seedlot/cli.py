"""The `seedlot` command. Each command is a module that is imported only when it is used.

Commands live in seedlot/commands/<name>.py (HELP, EXAMPLE, add_arguments, run) and in the COMMANDS list of a
study's cli.py, whose entries have the same four attributes and a name.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from seedlot.config.errors import SeedlotError, nearest

HERE = Path(__file__).resolve().parent


def builtin() -> list[str]:
    """Names of the commands in seedlot/commands."""
    return sorted(p.stem for p in (HERE / "commands").glob("[a-z]*.py"))


def study_commands() -> dict[str, Any]:
    """Name -> command of every study's cli.py."""
    out = {}
    for path in sorted(HERE.glob("studies/*/cli.py")):
        for command in importlib.import_module(f"seedlot.studies.{path.parent.name}.cli").COMMANDS:
            out[command.name] = command
    return out


def command(name: str) -> Any:
    """A command by name, with the attributes name, HELP or help, EXAMPLE, add_arguments and run; None if unknown."""
    if name in builtin():
        module = importlib.import_module(f"seedlot.commands.{name}")
        return SimpleNamespace(
            name=name,
            help=module.HELP,
            example=module.EXAMPLE,
            add_arguments=module.add_arguments,
            run=module.run,
        )
    return study_commands().get(name)


def overview() -> str:
    """The text of `seedlot --help`."""
    every = {name: command(name) for name in builtin()} | study_commands()
    lines = [
        "usage: seedlot COMMAND [OPTIONS]",
        "",
        "commands (seedlot COMMAND --help shows options and an example):",
    ]
    lines += [f"  {name:<10} {every[name].help}" for name in sorted(every)]
    lines += ["", "The workflow itself is run by Snakemake: snakemake --cores 2, snakemake --profile slurm."]
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    """Entry point; returns the exit status: 0 done, 1 the answer is bad news, 2 the request was wrong."""
    words = sys.argv[1:] if argv is None else argv
    if words[:1] == ["help"] and len(words) > 1:
        words = [words[1], "--help"]
    if not words or words[0] in ("-h", "--help", "help"):
        print(overview())
        return 0
    if words[0] == "--version":
        from importlib.metadata import version

        print(f"seedlot {version('seedlot')}")
        return 0
    found = command(words[0])
    if found is None:
        names = [*builtin(), *study_commands()]
        close = nearest(words[0], names)
        hint = f"did you mean '{close}'?" if close else f"commands: {', '.join(sorted(names))}"
        print(f"seedlot: no command '{words[0]}'; {hint}", file=sys.stderr)
        return 2
    parser = argparse.ArgumentParser(
        prog=f"seedlot {found.name}",
        description=found.help,
        epilog=f"example:\n  {found.example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    found.add_arguments(parser)
    try:
        return found.run(parser.parse_args(words[1:])) or 0
    except SeedlotError as err:
        print(f"seedlot {found.name}: {err}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as err:
        print(f"seedlot {found.name}: {err.strerror or err}: {err.filename or ''}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
