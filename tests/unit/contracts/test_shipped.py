"""Every contract of the package holds together: rules evaluate, references point at columns that exist."""

import pyarrow as pa
import pytest

from seedlot.contracts.check import violations
from seedlot.contracts.model import contract, contract_files
from seedlot.store.lot import scan_table
from seedlot.store.parquet import write_table

TABLES = sorted(contract_files())


@pytest.mark.parametrize("table", TABLES)
def test_rules_evaluate_and_references_fit(table):
    promised = contract(table)
    assert {(c, s) for c, s in violations(promised) if c == "rule"} == {
        ("rule", r.name) for r in promised.checks
    }
    schema = promised.arrow_schema()
    for reference in promised.references:
        target = contract(reference.table).arrow_schema()
        for mine, theirs in zip(reference.columns, reference.to):
            assert theirs in target.names, f"{reference.table} has no column {theirs}"
            assert schema.field(mine).type == target.field(theirs).type


@pytest.mark.parametrize("table", TABLES)
def test_an_empty_table_can_be_written_and_has_a_lot(table, tmp_path):
    promised = contract(table)
    schema = promised.arrow_schema()
    write_table(
        tmp_path / "e.parquet", pa.table({f.name: pa.array([], f.type) for f in schema}), schema, promised.key
    )
    scan = scan_table([tmp_path / "e.parquet"], promised.id, schema, promised.key, promised.volatile)
    assert scan.rows == 0 and scan.lot


def test_layers_name_their_tables():
    for name, path in contract_files().items():
        folder, owner = path.parts[-4], path.parts[-3]
        layers = {"sources": ("raw", "core", "out", "sim"), "joins": ("join",), "studies": ("study",)}[folder]
        assert name.split("_")[0] in layers and name.split("_", 1)[1].startswith(f"{owner}__"), path
