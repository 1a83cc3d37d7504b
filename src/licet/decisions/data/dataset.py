"""What the engine's file says of a dataset."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from ..expression import Node

ROW_LIMIT = 20_000_000
"""Rows of one dataset where its owner says nothing else."""

KINDS = ("csv", "parquet", "sqlite")
MASKS = ("redact", "pseudonym")
"""``redact``: one word for every value. ``pseudonym``: equal values get equal words, other ones in every process."""

AGGREGATIONS = ("count", "count_distinct", "sum", "avg", "min", "max", "median", "stddev")
NUMERIC = frozenset(("sum", "avg", "median", "stddev"))
"""Those that need numbers."""


class Asker(Protocol):
    """Who asks, as far as data are concerned."""

    @property
    def tenant(self) -> str: ...

    @property
    def role(self) -> str: ...


class Column(NamedTuple):
    """``roles`` see the values (None: every role); the others see the mask, or without one no such column."""

    unit: str = ""
    roles: frozenset[str] | None = None
    mask: str | None = None
    description: str = ""


class Metric(NamedTuple):
    """A figure of each row, with a name. It is visible where every column that it uses is seen unmasked.

    ``aliases`` are further names; two metrics may share one, and whoever says it is asked back.
    """

    expression: Node
    unit: str = ""
    aggregations: tuple[str, ...] = AGGREGATIONS
    aliases: tuple[str, ...] = ()
    description: str = ""


class Dataset(NamedTuple):
    """One file, by its absolute path. ``table`` is SQLite's.

    ``columns`` None: all of the file; else those that are named, and no other.
    ``tenants`` None: every tenant; for another's caller there is no such dataset.
    """

    name: str
    kind: str
    path: Path
    table: str | None = None
    columns: Mapping[str, Column] | None = None
    metrics: Mapping[str, Metric] = {}
    row_limit: int = ROW_LIMIT
    tenants: frozenset[str] | None = None
    description: str = ""
