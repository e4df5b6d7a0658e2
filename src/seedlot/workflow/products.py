"""The register of what the rule files produce, from which `all`, verification, report and gate take their inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seedlot.config.errors import unknown
from seedlot.contracts.model import contract
from seedlot.store.lineage import pending

EXPECTED = Path("resources/expected")


@dataclass
class Subject:
    """One source or study whose tables are judged together.

    parts: part name -> table -> path. items, rejects: files in the shapes of seedlot.store.rejects.
    """

    parts: dict[str, dict[str, str]]
    items: list[str] = field(default_factory=list)
    rejects: list[str] = field(default_factory=list)


@dataclass
class Study:
    """What one study adds to the default target: figures (name -> SVG path), ledgers, judged subjects.

    work: its other files, which are asked for only while a job that began to make them has not ended well.
    """

    figures: dict[str, str]
    ledgers: list[str]
    subjects: list[str]
    work: list[str]


class Products:
    """Filled by the rule files while they are parsed; read by input functions afterwards."""

    paths: dict[str, str]
    run: str
    root: Path

    def __init__(self) -> None:
        self.subjects: dict[str, Subject] = {}
        self.studies: dict[str, Study] = {}

    def publish(
        self,
        subject: str,
        parts: Mapping[str, Mapping[str, str]],
        items: Sequence[str] = (),
        rejects: Sequence[str] = (),
    ) -> None:
        """Register the published tables of a source or study, part by part."""
        self.subjects[subject] = Subject({p: dict(t) for p, t in parts.items()}, list(items), list(rejects))

    def study(
        self,
        name: str,
        figures: Sequence[str],
        ledgers: Sequence[str],
        subjects: Sequence[str],
        work: Sequence[str] = (),
    ) -> None:
        """Register a study; figure names become `<figures>/<study>/<name>.svg`."""
        paths = {figure: f"{self.paths['fig']}/{name}/{figure}.svg" for figure in figures}
        self.studies[name] = Study(paths, list(ledgers), list(subjects), list(work))

    # -- verification ---------------------------------------------------------------------------------
    def subject(self, name: str) -> Subject:
        """A registered subject; SeedlotError names the nearest one otherwise."""
        if name not in self.subjects:
            raise unknown("source or study", name, self.subjects)
        return self.subjects[name]

    def tables_of(self, name: str) -> list[str]:
        """Tables of a subject, sorted."""
        return sorted({table for part in self.subject(name).parts.values() for table in part})

    def tables_of_part(self, name: str, part: str) -> list[str]:
        """Tables of one part of a subject, sorted."""
        parts = self.subject(name).parts
        if part not in parts:
            raise unknown(f"part of '{name}'", part, parts)
        return sorted(parts[part])

    def check_inputs(self, wildcards) -> dict[str, str]:
        """Inputs of verify_check: table name -> file of this part."""
        self.tables_of_part(wildcards.subject, wildcards.part)
        return dict(self.subjects[wildcards.subject].parts[wildcards.part])

    def judge_inputs(self, wildcards) -> dict[str, Any]:
        """Inputs of verify_judge: check tables, every judged or referenced table's files, items, rejects, expected."""
        subject = self.subject(wildcards.subject)
        checks = [f"{self.paths['work']}/{wildcards.subject}/checks/{part}.parquet" for part in subject.parts]
        files = {
            table: [part[table] for part in subject.parts.values() if table in part]
            for table in self.tables_of(wildcards.subject)
        }
        referenced = {r.table for table in files for r in contract(table).references} - set(files)
        named = {
            "checks": checks,
            **files,
            **{table: self.table_files(table) for table in sorted(referenced)},
        }
        expected = EXPECTED / f"{self.run}.tsv"
        if expected.is_file():
            named["expected"] = expected.as_posix()
        if subject.items:
            named["outcomes"] = subject.items
        if subject.rejects:
            named["rejects"] = subject.rejects
        return named

    def verdict(self, subject: str) -> str:
        """Path of a subject's verdict."""
        return f"{self.paths['work']}/{subject}/verdict.json"

    def table_files(self, table: str) -> list[str]:
        """Every file of a published table."""
        return [p[table] for s in self.subjects.values() for p in s.parts.values() if table in p]

    # -- studies --------------------------------------------------------------------------------------
    def study_products(self, name: str) -> list[str]:
        """Figures, ledgers, verdicts and unfinished files of one study: what `snakemake <study>` asks for."""
        return list(dict.fromkeys([*self._named(name), *self._unfinished(name)]))

    def _named(self, name: str) -> list[str]:
        """Figures, ledgers and verdicts of one study."""
        study = self.studies[name]
        return [*study.figures.values(), *study.ledgers, *(self.verdict(s) for s in study.subjects)]

    def _unfinished(self, name: str) -> list[str]:
        """Files of one study that a job began to make and did not end well."""
        began = {path.as_posix() for path in pending(self.root)}
        return [path for path in self._files(self.studies[name]) if path in began]

    def _files(self, study: Study) -> list[str]:
        """Every file below a study that some rule declares, but for receipts."""
        files = list(study.work)
        for name in study.subjects:
            subject = self.subjects[name]
            checks = [f"{self.paths['work']}/{name}/checks/{part}.parquet" for part in subject.parts]
            files += [p for tables in subject.parts.values() for p in tables.values()]
            files += [*subject.items, *subject.rejects, *checks]
        return files

    def chosen(self, config) -> list[str]:
        """Studies of the default target: config `targets`, or all that are registered."""
        return list(config.targets) or sorted(self.studies)

    def products(self, config) -> list[str]:
        """Everything that the chosen studies publish, each path once. The set does not depend on what ran."""
        out: dict[str, None] = {}
        for name in self.chosen(config):
            out.update(dict.fromkeys(self._named(name)))
            for subject in self.studies[name].subjects:
                for part in self.subjects[subject].parts.values():
                    out.update(dict.fromkeys(part.values()))
        out.update(dict.fromkeys(self.arrays(config)))
        return list(out)

    def arrays(self, config) -> list[str]:
        """Manifests of the array datasets that the chosen studies read: `<ds>/<name>/<shard>.json`."""
        work = (path for name in self.chosen(config) for path in self.studies[name].work)
        ds = f"{self.paths['ds']}/"
        return list(dict.fromkeys(path for path in work if path.startswith(ds) and path.endswith(".json")))

    def unfinished(self, config) -> list[str]:
        """Files of the chosen studies that a job began to make and did not end well: `all` asks for them by name."""
        return list(dict.fromkeys(path for name in self.chosen(config) for path in self._unfinished(name)))

    def gate_files(self, config) -> dict[str, list[str]]:
        """Items files and verdicts of the chosen studies."""
        subjects = list(dict.fromkeys(s for name in self.chosen(config) for s in self.studies[name].subjects))
        return {
            "outcomes": [path for s in subjects for path in self.subjects[s].items],
            "verdicts": [self.verdict(s) for s in subjects],
        }

    def inventory(self, config) -> dict[str, Any]:
        """What the report lists, by name, with paths as the rules declare them."""
        return {
            "studies": {
                name: {
                    "figures": self.studies[name].figures,
                    "ledgers": self.studies[name].ledgers,
                    "subjects": self.studies[name].subjects,
                }
                for name in self.chosen(config)
            },
            "subjects": {
                s: {
                    "tables": self.tables_of(s),
                    "verdict": self.verdict(s),
                    "outcomes": self.subjects[s].items,
                    "rejects": self.subjects[s].rejects,
                }
                for name in self.chosen(config)
                for s in self.studies[name].subjects
            },
            "arrays": self.arrays(config),
        }
