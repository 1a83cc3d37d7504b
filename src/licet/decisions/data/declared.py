"""The datasets of the engine's file, as its owner declares them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import ConfigurationError
from ..error import DecisionError
from ..expression import parse
from .dataset import AGGREGATIONS, KINDS, MASKS, ROW_LIMIT, Column, Dataset, Metric

_TEXT = {"type": "string", "minLength": 1, "maxLength": 200}
_WORDS = {"type": "array", "items": _TEXT, "minItems": 1, "uniqueItems": True}
_NAME = {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"}
_COLUMN = {
    "type": ["object", "null"],
    "properties": {"unit": _TEXT, "roles": _WORDS, "mask": {"enum": list(MASKS)}, "description": _TEXT},
    "additionalProperties": False,
}
_METRIC = {
    "type": "object",
    "properties": {
        "expression": {"type": "string", "minLength": 1, "maxLength": 8_000},
        "unit": _TEXT,
        "aggregations": {"type": "array", "items": {"enum": list(AGGREGATIONS)}, "minItems": 1, "uniqueItems": True},
        "aliases": _WORDS,
        "description": _TEXT,
    },
    "required": ["expression"],
    "additionalProperties": False,
}
_PATH = {"type": "string", "minLength": 1, "maxLength": 4_000}
DATASETS: dict[str, Any] = {
    "type": "object",
    "propertyNames": _NAME,
    "additionalProperties": {
        "type": "object",
        "properties": {
            **dict.fromkeys(KINDS, _PATH),
            "table": _TEXT,
            "columns": {"type": "object", "minProperties": 1, "propertyNames": _TEXT, "additionalProperties": _COLUMN},
            "metrics": {"type": "object", "propertyNames": _NAME, "additionalProperties": _METRIC},
            "row_limit": {"type": "integer", "minimum": 1, "maximum": 1_000_000_000},
            "tenants": _WORDS,
            "description": _TEXT,
        },
        "oneOf": [{"required": [kind]} for kind in KINDS],
        "additionalProperties": False,
    },
}
"""The schema of the member ``datasets``."""


class Misdeclared(ConfigurationError):  # noqa: N818 - it says what became of the declaration
    """``place`` is inside of the member ``datasets``; ``problem`` says what, and what instead."""

    def __init__(self, place: tuple[str | int, ...], problem: str) -> None:
        super().__init__(f"{'.'.join(map(str, ('datasets', *place)))}: {problem}")
        self.place = place
        self.problem = problem


def datasets(told: Mapping[str, Mapping[str, Any]], folder: Path) -> dict[str, Dataset]:
    """The datasets of a value that fits ``DATASETS``. Paths are seen from ``folder``, that of the engine's file.

    No file is opened: what is wrong with one is found when it is connected.

    Raises:
        Misdeclared: a table without SQLite or SQLite without one, a mask for nobody, or a metric that is no expression.
    """
    return {name: _dataset(name, one, folder) for name, one in told.items()}


def _dataset(name: str, told: Mapping[str, Any], folder: Path) -> Dataset:
    kind = next(kind for kind in KINDS if kind in told)
    if (kind == "sqlite") != ("table" in told):
        raise Misdeclared((name,), "a table is named for sqlite, and only there; add it or drop it")
    columns = told.get("columns")
    metrics = {metric: _metric((name, "metrics", metric), one) for metric, one in told.get("metrics", {}).items()}
    tenants = told.get("tenants")
    return Dataset(
        name=name,
        kind=kind,
        path=(folder / told[kind]).absolute(),
        table=told.get("table"),
        columns=None if columns is None else {one: _column((name, "columns", one), columns[one]) for one in columns},
        metrics=metrics,
        row_limit=told.get("row_limit", ROW_LIMIT),
        tenants=None if tenants is None else frozenset(tenants),
        description=told.get("description", ""),
    )


def _column(place: tuple[str, ...], told: Mapping[str, Any] | None) -> Column:
    told = told or {}
    roles = told.get("roles")
    if "mask" in told and roles is None:
        raise Misdeclared((*place, "mask"), "a mask without roles hides the values from nobody; name who sees them")
    return Column(
        unit=told.get("unit", ""),
        roles=None if roles is None else frozenset(roles),
        mask=told.get("mask"),
        description=told.get("description", ""),
    )


def _metric(place: tuple[str, ...], told: Mapping[str, Any]) -> Metric:
    try:
        expression = parse(told["expression"], where="the metric")
    except DecisionError as wrong:
        raise Misdeclared((*place, "expression"), str(wrong)) from None
    return Metric(
        expression=expression,
        unit=told.get("unit", ""),
        aggregations=tuple(told.get("aggregations", AGGREGATIONS)),
        aliases=tuple(told.get("aliases", ())),
        description=told.get("description", ""),
    )
