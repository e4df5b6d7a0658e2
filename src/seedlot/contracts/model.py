"""Contracts: one YAML file per table says what its columns mean and what must hold for its rows."""

from __future__ import annotations

import hashlib
import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, get_args

import pyarrow as pa
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from seedlot.config.errors import SeedlotError, nearest, unknown
from seedlot.store.rejects import STATUSES

PACKAGE = Path(__file__).resolve().parents[1]
FOLDERS = ("sources", "joins", "studies")
LIMITS = ("max_reject_share", *(f"max_{s}_share" for s in STATUSES if s != "ok"))
TYPES: dict[str, pa.DataType] = {
    "int8": pa.int8(),
    "int16": pa.int16(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "uint8": pa.uint8(),
    "uint16": pa.uint16(),
    "uint32": pa.uint32(),
    "uint64": pa.uint64(),
    "float32": pa.float32(),
    "float64": pa.float64(),
    "string": pa.string(),
    "bool": pa.bool_(),
    "date": pa.date32(),
}

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Text = Annotated[str, Field(min_length=1, pattern=r"\S")]
Share = Annotated[float, Field(ge=0, le=1)]
Number = int | float


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Column(_Strict):
    """One column. `volatile` columns (measured seconds) are left out of the lot."""

    name: Name
    type: str
    description: Text
    unit: str | None = None
    nullable: bool = False
    min: Number | None = None
    max: Number | None = None
    allowed: list[str | int] | None = Field(default=None, min_length=1)
    pattern: str | None = None
    volatile: bool = False

    @model_validator(mode="after")
    def _coherent(self) -> Column:
        kind = arrow_type(self.type)
        number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        if (self.min is not None or self.max is not None) and not number:
            raise ValueError(f"column '{self.name}': min and max need a number type, not {self.type}")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"column '{self.name}': min {self.min} is above max {self.max}")
        if self.pattern is not None:
            if not pa.types.is_string(kind):
                raise ValueError(f"column '{self.name}': pattern needs type string, not {self.type}")
            re.compile(self.pattern)
        if self.allowed is not None:
            wanted = str if pa.types.is_string(kind) else int if pa.types.is_integer(kind) else None
            if wanted is None or not all(isinstance(v, wanted) for v in self.allowed):
                raise ValueError(f"column '{self.name}': allowed must list values of type {self.type}")
        return self


class Reference(_Strict):
    """Every combination of `columns` must occur as `to` in `table`."""

    columns: list[Name] = Field(min_length=1)
    table: Name
    to: list[Name] = Field(min_length=1)

    @model_validator(mode="after")
    def _paired(self) -> Reference:
        if len(self.columns) != len(self.to):
            raise ValueError(f"reference to {self.table}: {len(self.columns)} columns against {len(self.to)}")
        return self


class Check(_Strict):
    """A rule as SQL over the columns, true for good rows; `tolerance` is the share of rows that may break it.

    A row for which the expression is null (as nulls make comparisons) counts as good.
    """

    name: Name
    expr: Text
    tolerance: Share = 0.0


class Contract(_Strict):
    """What one table promises. See `contract` for loading one by name."""

    name: Name
    version: Annotated[str, Field(pattern=r"^\d+\.\d+\.\d+$")]
    title: Text
    description: Text
    unit_of_observation: Text
    key: list[Name] = Field(min_length=1)
    columns: list[Column] = Field(min_length=1)
    references: list[Reference] = []
    checks: list[Check] = []
    limits: dict[str, Share] = {}

    @model_validator(mode="after")
    def _coherent(self) -> Contract:
        names = [c.name for c in self.columns]
        rules = [c.name for c in self.checks]
        for kind, seen in (("column", names), ("check", rules), ("key column", self.key)):
            twice = sorted({n for n in seen if seen.count(n) > 1})
            if twice:
                raise ValueError(f"{kind} {', '.join(twice)} is listed twice")
        for used in [*self.key, *(c for r in self.references for c in r.columns)]:
            if used not in names:
                raise unknown("column", used, names)
        for column in self.columns:
            if column.name in self.key and (column.nullable or column.volatile):
                raise ValueError(f"key column '{column.name}' must be neither nullable nor volatile")
            if column.name in self.key and column.type.startswith(("float", "list")):
                raise ValueError(f"key column '{column.name}' cannot be {column.type}: it has no exact order")
        for limit in self.limits:
            if limit not in LIMITS:
                raise unknown("limit", limit, LIMITS)
        return self

    @property
    def id(self) -> str:
        """Name and version, as `name@version`."""
        return f"{self.name}@{self.version}"

    @property
    def volatile(self) -> tuple[str, ...]:
        """Names of the columns that a lot leaves out."""
        return tuple(c.name for c in self.columns if c.volatile)

    def column(self, name: str) -> Column:
        """The column of that name; SeedlotError names the nearest one otherwise."""
        for column in self.columns:
            if column.name == name:
                return column
        raise unknown("column", name, [c.name for c in self.columns], where=f"contract {self.name}")

    @property
    def referenced(self) -> tuple[str, ...]:
        """Names of the tables that references point to, sorted; judging this table needs their files."""
        return tuple(sorted({r.table for r in self.references}))

    def arrow_schema(self) -> pa.Schema:
        """The Arrow schema: types, nullability, and per field its description and unit as metadata."""
        fields = []
        for c in self.columns:
            words = {"description": c.description} | ({"unit": c.unit} if c.unit else {})
            fields.append(pa.field(c.name, arrow_type(c.type), nullable=c.nullable, metadata=words))
        return pa.schema(fields, metadata={"seedlot.contract": self.id, "seedlot.key": json.dumps(self.key)})

    def schema_digest(self) -> str:
        """Digest of what decides the written rows: id, key, and per column name, type, nullability, unit."""
        columns = [[c.name, c.type, c.nullable, c.unit] for c in self.columns]
        return _digest([self.id, self.key, columns])

    def checks_digest(self) -> str:
        """Digest of what decides the verdict beside the rows: ranges, sets, rules, references, limits."""
        columns = [[c.name, c.min, c.max, c.allowed, c.pattern, c.volatile] for c in self.columns]
        rest = self.model_dump(mode="json", include={"name", "references", "checks", "limits"})
        return _digest([columns, rest])


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def arrow_type(name: str) -> pa.DataType:
    """The Arrow type of a contract's type name: one of TYPES, or list<T>, nested at will."""
    if name.startswith("list<") and name.endswith(">"):
        return pa.list_(arrow_type(name[5:-1]))
    if name not in TYPES:
        raise unknown("type", name, [*TYPES, "list<int32>", "list<float64>", "list<string>"])
    return TYPES[name]


def contract_files() -> dict[str, Path]:
    """Table name -> contract file, found by listing the contracts folders of sources, joins and studies."""
    found: dict[str, Path] = {}
    for path in sorted(p for folder in FOLDERS for p in PACKAGE.glob(f"{folder}/*/contracts/*.yaml")):
        if path.stem in found:
            raise SeedlotError(
                f"two contracts are called '{path.stem}'", where=f"{found[path.stem]} and {path}"
            )
        found[path.stem] = path
    return found


def contract(name: str) -> Contract:
    """The contract of a table by name; SeedlotError names the nearest one when there is none."""
    files = contract_files()
    if name not in files:
        raise unknown("table", name, files)
    return load_contract(files[name])


@lru_cache(maxsize=512)
def load_contract(path: Path) -> Contract:
    """Read and check one contract file, whose stem must be the contract's name.

    Raises SeedlotError with the file, the place in it and, for a misspelt key, the nearest valid one.
    """
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), _UniqueKeys)
    except yaml.YAMLError as error:
        raise SeedlotError(f"not readable as YAML: {error}", where=str(path)) from None
    if not isinstance(data, dict):
        raise SeedlotError("a contract is a mapping of keys to values", where=str(path))
    try:
        made = Contract.model_validate(data)
    except ValidationError as error:
        raise SeedlotError(_explain(error, data), where=str(path)) from None
    except SeedlotError as error:
        raise SeedlotError(error.what, where=str(path), todo=error.todo) from None
    if made.name != path.stem:
        raise SeedlotError(f"the contract is named '{made.name}', its file '{path.stem}'", where=str(path))
    return made


class _UniqueKeys(yaml.SafeLoader):
    """YAML's safe loader, with a key given twice an error instead of a silent last-one-wins."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(k, deep=deep) for k, _ in node.value]
        twice = sorted({str(k) for k in keys if keys.count(k) > 1})
        if twice:
            raise yaml.constructor.ConstructorError(
                None, None, f"key {', '.join(twice)} is given twice", node.start_mark
            )
        return super().construct_mapping(node, deep=deep)


def _explain(error: ValidationError, data: Any) -> str:
    """One line per problem: the place, then what is wrong; a misspelt key gets its nearest valid one."""
    lines = []
    for problem in error.errors():
        place = problem["loc"]
        where = ".".join(str(p) for p in _named(place, data))
        if problem["type"] == "extra_forbidden":
            valid = _keys_at(place[:-1])
            close = nearest(str(place[-1]), valid)
            hint = f"did you mean '{close}'?" if close else f"valid: {', '.join(valid)}"
            lines.append(f"{where}: unknown key '{place[-1]}', {hint}")
        else:
            lines.append(
                f"{where}: {problem['msg'].removeprefix('Value error, ')}" if where else problem["msg"]
            )
    return "; ".join(lines)


def _named(place: tuple[int | str, ...], data: Any) -> list[int | str]:
    """The place with list positions replaced by the `name` of the entry, where it has one."""
    words: list[int | str] = []
    for step in place:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            data = None
        named = isinstance(step, int) and isinstance(data, dict) and isinstance(data.get("name"), str)
        words.append(data["name"] if named else step)
    return words


def _keys_at(place: tuple[int | str, ...]) -> list[str]:
    """The valid keys of the model that a place in a contract file belongs to."""
    model: type[BaseModel] = Contract
    for step in place:
        if isinstance(step, str):
            (model,) = get_args(model.model_fields[step].annotation)
    return sorted(model.model_fields)
