"""Croissant 1.0 descriptions of published tables, generated from their contracts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from seedlot.config.errors import SeedlotError
from seedlot.contracts.model import Column, Contract, arrow_type

MEDIA_TYPE = "application/x-parquet"

# The terms of the Croissant 1.0 specification; readers warn about any other context.
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
} | {
    term: f"cr:{term}"
    for term in [
        "citeAs",
        "column",
        "equivalentProperty",
        "extract",
        "field",
        "fileObject",
        "fileProperty",
        "fileSet",
        "format",
        "includes",
        "isLiveDataset",
        "jsonPath",
        "key",
        "md5",
        "parentField",
        "path",
        "recordSet",
        "references",
        "regex",
        "repeated",
        "replace",
        "samplingRate",
        "separator",
        "source",
        "subField",
        "transform",
    ]
}


@dataclass(frozen=True)
class File:
    """One published file: path relative to the description, size, digest."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Published:
    """A table's contract and its files, all in one folder."""

    contract: Contract
    files: Sequence[File]


def croissant(
    *,
    name: str,
    description: str,
    licence: str,
    url: str,
    version: str,
    citation: str,
    published: str,
    tables: Sequence[Published],
) -> dict[str, Any]:
    """The JSON-LD of a dataset of several tables: per table a file set and a record set, per file its digest.

    name becomes an identifier of letters, digits, `-` and `_`. licence and url are URLs or names. published:
    the release's date, YYYY-MM-DD, a committed fact and not today. A reference to a table among `tables`
    becomes a Croissant reference when it is by one column. Raises SeedlotError for a table without files or
    with files in several folders.
    """
    known = {t.contract.name for t in tables}
    distribution, records = [], []
    for table in sorted(tables, key=lambda t: t.contract.name):
        distribution += _files(table)
        records.append(_record_set(table.contract, known))
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": re.sub(r"[^A-Za-z0-9_-]+", "-", name),
        "description": description,
        "license": licence,
        "url": url,
        "version": version,
        "citeAs": citation,
        "datePublished": published,
        "distribution": distribution,
        "recordSet": records,
    }


def _files(table: Published) -> list[dict[str, Any]]:
    name = table.contract.name
    folders = {f.path.rpartition("/")[0] for f in table.files}
    if len(folders) != 1:
        raise SeedlotError(f"files of '{name}' are in {len(folders)} folders, expected one")
    folder = folders.pop()
    objects = [
        {
            "@type": "cr:FileObject",
            "@id": f"{name}/{f.path.rpartition('/')[2]}",
            "name": f.path.rpartition("/")[2],
            "contentUrl": f.path,
            "contentSize": f"{f.bytes} B",
            "encodingFormat": MEDIA_TYPE,
            "sha256": f.sha256,
        }
        for f in sorted(table.files, key=lambda f: f.path)
    ]
    together = {
        "@type": "cr:FileSet",
        "@id": f"{name}-files",
        "name": f"{name}-files",
        "description": f"All files of {name}.",
        "encodingFormat": MEDIA_TYPE,
        "includes": f"{folder}/*.parquet" if folder else "*.parquet",
    }
    return [*objects, together]


def _record_set(promised: Contract, known: set[str]) -> dict[str, Any]:
    linked = {
        r.columns[0]: f"{r.table}/{r.to[0]}"
        for r in promised.references
        if r.table in known and len(r.columns) == 1
    }
    return {
        "@type": "cr:RecordSet",
        "@id": promised.name,
        "name": promised.name,
        "description": f"{promised.description} One row is {promised.unit_of_observation}.",
        "key": [{"@id": f"{promised.name}/{column}"} for column in promised.key],
        "field": [_field(promised, column, linked.get(column.name)) for column in promised.columns],
    }


def _field(promised: Contract, column: Column, target: str | None) -> dict[str, Any]:
    kind = arrow_type(column.type)
    unit = f" Unit: {column.unit}." if column.unit else ""
    field = {
        "@type": "cr:Field",
        "@id": f"{promised.name}/{column.name}",
        "name": column.name,
        "description": f"{column.description}{unit}",
        "dataType": _data_type(kind),
        "source": {"fileSet": {"@id": f"{promised.name}-files"}, "extract": {"column": column.name}},
    }
    if pa.types.is_list(kind):
        field["repeated"] = True
    if target is not None:
        field["references"] = {"field": {"@id": target}}
    return field


def _data_type(kind: pa.DataType) -> str:
    while pa.types.is_list(kind):
        kind = kind.value_type
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    if pa.types.is_floating(kind):
        return "sc:Float"
    return "sc:Date" if pa.types.is_date(kind) else "sc:Text"
