"""seedlot config"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from seedlot.config import base
from seedlot.config.errors import SeedlotError
from seedlot.workflow.core import Workflow
from seedlot.workflow.model import config_model, docs_text, plugins, schema_text

HELP = "check a config with its manifests, or print the generated schema and key table"
EXAMPLE = "seedlot config --check config/paper.yaml"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """One of three actions."""
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument(
        "--check", type=Path, metavar="FILE", help="validate FILE on top of config/config.yaml"
    )
    group.add_argument("--schema", action="store_true", help="print JSON Schema (config/schema.json)")
    group.add_argument("--docs", action="store_true", help="print the table of keys (docs/config.md)")


def run(args: argparse.Namespace) -> int:
    """Print what was asked for."""
    if args.schema:
        print(schema_text(), end="")
    elif args.docs:
        print(docs_text(), end="")
    else:
        if not Path("Snakefile").is_file():
            raise SeedlotError(
                "this is no clone of Seedlot", where=str(Path.cwd()), todo="cd to the clone and repeat"
            )
        merged = base.merge(base.read_yaml(Path("config/config.yaml")), base.read_yaml(args.check))
        base.load(config_model(), merged, where=str(args.check))
        flow = Workflow(merged)
        for source in plugins("sources"):
            flow.shards(source)
        print(json.dumps(flow.config.model_dump(mode="json"), indent=1))
    return 0
