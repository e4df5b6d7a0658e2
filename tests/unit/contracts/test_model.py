"""Contracts: what a YAML file may say, what its digests depend on."""

import textwrap

import pyarrow as pa
import pytest

from seedlot.config.errors import SeedlotError
from seedlot.contracts.model import arrow_type, contract, load_contract


def made(tmp_path, text: str):
    """The contract in `text`, from a file of its own."""
    name = next(line.split()[1] for line in text.splitlines() if line.startswith("name:"))
    path = tmp_path / f"c{len(list(tmp_path.iterdir()))}" / f"{name}.yaml"
    path.parent.mkdir()
    path.write_text(textwrap.dedent(text))
    return load_contract(path)


def test_the_arrow_schema_has_types_nullability_units_and_words(toys):
    schema = contract("core_toy__edges").arrow_schema()
    assert schema.names == ["net", "src", "dst", "weight"]
    assert schema.field("src").type == pa.int32() and not schema.field("src").nullable
    assert schema.field("weight").nullable
    assert schema.field("weight").metadata == {b"description": b"Length of the link.", b"unit": b"km"}
    assert schema.metadata[b"seedlot.contract"] == b"core_toy__edges@2.1.0"


def test_types_can_be_nested_lists():
    assert arrow_type("list<list<float64>>") == pa.list_(pa.list_(pa.float64()))
    with pytest.raises(SeedlotError, match="unknown type 'int'\n.*did you mean"):
        arrow_type("int")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("unit_of_observation:", "unit_of_observaton:", "unknown key 'unit_of_observaton', did you mean 'unit_of_obs"),
        ("nullable: true", "nulable: true", "columns.weight.nulable: unknown key 'nulable', did you mean 'nullable'"),
        ("expr: \"src", "exp: \"src", "checks.src_lt_dst.exp: unknown key 'exp', did you mean 'expr'"),
        ("to: [net, node]", "too: [net, node]", "references.0.too: unknown key 'too', did you mean 'to'"),
        ("key: [net, src, dst]", "key: [net, scr, dst]", "unknown column 'scr'\n.*\n.*did you mean 'src'"),
        ("key: [net, src, dst]", "key: [net, src, src]", "key column src is listed twice"),
        ("key: [net, src, dst]", "key: [net, weight]", "key column 'weight' must be neither nullable nor volatile"),
        ("type: int32, des", "type: in32, des", "unknown type 'in32'\n.*\n.*did you mean 'int32'"),
        ("min: 0, max: 1000", "min: 9, max: 1", "min 9 is above max 1"),
        ("min: 0, max: 1000", "pattern: x", "pattern needs type string"),
        ("min: 0, max: 1000", "allowed: [a]", "allowed must list values of type int32"),
        ("version: 2.1.0", "version: 2.1", "version"),
        ("title: Links", "title: Links\ntitle: Edges", "key title is given twice"),
        ("name: core_toy__edges", "name: core_toy__edges\nlimits: {max_reject: 0.1}", "unknown limit 'max_reject'"),
        ("tolerance: 0.25", "tolerance: 25", "tolerance"),
        ("unit: km", "unit: 3", "columns.weight.unit"),
    ],
)  # fmt: skip
def test_mistakes_are_refused_with_their_place_and_the_nearest_word(tmp_path, edges_text, old, new, message):
    assert old in edges_text
    with pytest.raises(SeedlotError, match=message):
        made(tmp_path, edges_text.replace(old, new, 1))


def test_the_file_is_named_like_the_contract(tmp_path, edges_text):
    (tmp_path / "other.yaml").write_text(edges_text)
    with pytest.raises(SeedlotError, match="named 'core_toy__edges', its file 'other'"):
        load_contract(tmp_path / "other.yaml")


def test_an_unknown_table_names_the_nearest(toys):
    with pytest.raises(SeedlotError, match="did you mean 'core_toy__nodes'"):
        contract("core_toy__node")


def test_two_contracts_of_one_name_are_refused(toys, edges_text):
    other = toys.parents[2] / "joins" / "j" / "contracts"
    other.mkdir(parents=True)
    (other / "core_toy__edges.yaml").write_text(edges_text)
    with pytest.raises(SeedlotError, match="two contracts are called 'core_toy__edges'"):
        contract("core_toy__edges")


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("Smaller end.", "The smaller end.", ""),
        ("title: Links", "title: All links", ""),
        ("unit_of_observation: one link", "unit_of_observation: a link", ""),
        ("unit: km", "unit: m", "schema"),
        ("nullable: true", "nullable: false", "schema"),
        ("name: weight, type: float64", "name: weight, type: float32", "schema"),
        ("version: 2.1.0", "version: 2.1.1", "schema"),
        ("max: 1000", "max: 1001", "checks"),
        ("tolerance: 0.25", "tolerance: 0.2", "checks"),
        ("src < dst", "src <= dst", "checks"),
        ("min: 0.5", "min: 0.5, volatile: true", "checks"),
        ("columns: [net, src], table", "columns: [net, dst], table", "checks"),
    ],
)
def test_digests_depend_on_their_part_only(tmp_path, edges_text, old, new, changes):
    assert old in edges_text
    one, two = made(tmp_path, edges_text), made(tmp_path, edges_text.replace(old, new, 1))
    assert (one.schema_digest() != two.schema_digest()) == (changes == "schema")
    assert (one.checks_digest() != two.checks_digest()) == (changes == "checks")


def test_yaml_cannot_construct_objects(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("name: !!python/object/apply:os.getcwd []")
    with pytest.raises(SeedlotError, match="not readable as YAML"):
        load_contract(path)
