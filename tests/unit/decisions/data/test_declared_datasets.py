"""Datasets are declared in the engine's file; what is wrong with a declaration has its place."""

import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from licet.decisions.data.dataset import Column
from licet.decisions.data.declared import DATASETS, Misdeclared, datasets
from licet.decisions.expression import Name, Operation
from licet.model.json_object import JsonObject
from licet.schema.validate import compile


def test_a_declaration_becomes_facts(tmp_path: Path) -> None:
    told = {
        "orders": {
            "sqlite": "data/orders.db",
            "table": "orders",
            "columns": {"price": {"unit": "EUR", "roles": ["analyst"], "mask": "redact"}, "units": None},
            "metrics": {"gross": {"expression": "price * units", "unit": "EUR", "aliases": ["revenue"]}},
            "row_limit": 10,
            "tenants": ["ours"],
        }
    }
    assert compile(JsonObject(DATASETS), where="datasets").is_valid(told)
    made = datasets(told, tmp_path)["orders"]
    assert (made.kind, made.path, made.table) == ("sqlite", tmp_path / "data" / "orders.db", "orders")
    assert made.columns == {"price": Column("EUR", frozenset(["analyst"]), "redact"), "units": Column()}
    assert made.metrics["gross"].expression == Operation("*", (Name("price"), Name("units")))
    assert (made.row_limit, made.tenants) == (10, frozenset(["ours"]))


@pytest.mark.parametrize(
    ("told", "place"),
    [
        ({"csv": "a.csv", "table": "t"}, ("a",)),
        ({"sqlite": "a.db"}, ("a",)),
        ({"csv": "a.csv", "columns": {"x": {"mask": "redact"}}}, ("a", "columns", "x", "mask")),
        ({"csv": "a.csv", "metrics": {"m": {"expression": "open(x)"}}}, ("a", "metrics", "m", "expression")),
    ],
)
def test_a_declaration_that_contradicts_itself_has_its_place(told: dict[str, Any], place: tuple[str, ...]) -> None:
    with pytest.raises(Misdeclared) as caught:
        datasets({"a": told}, Path("/"))
    assert caught.value.place == place


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"csv": "a", "parquet": "b"},
        {"csv": "a", "columns": {}},
        {"csv": "a", "columns": {"x": {"mask": "none"}}},
        {"csv": "a", "metrics": {"m m": {"expression": "x"}}},
        {"csv": "a", "query": "SELECT 1"},
        {"csv": "a", "row_limit": 0},
    ],
)
def test_a_declaration_of_another_shape_does_not_fit_the_schema(told: dict[str, Any]) -> None:
    assert not compile(JsonObject(DATASETS), where="datasets").is_valid({"a": told})


def test_the_engines_file_has_the_same_datasets_in_its_schema() -> None:
    schema = json.loads(resources.files("licet.decisions").joinpath("settings.schema.json").read_text())
    assert schema["properties"]["datasets"] == DATASETS
