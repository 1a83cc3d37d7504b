"""What one caller sees of a connected dataset: columns clear or masked, and the metrics made of clear ones.

Everything that a query may name is looked up here, so a hidden column is as unknown as one that never was.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ..error import DecisionError
from ..expression import Name, names
from .dataset import AGGREGATIONS, NUMERIC, Column, Dataset, Metric

NUMBER, TEXT, BOOLEAN, DATE, MOMENT = "number", "text", "boolean", "date", "moment"

_KINDS = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE"), NUMBER),
    **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"), NUMBER),
    "VARCHAR": TEXT,
    "BOOLEAN": BOOLEAN,
    "DATE": DATE,
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), MOMENT),
}


def kind_of(type_name: str) -> str | None:
    """The kind of a DuckDB type; None: no column of ours (nested, binary, with a time zone, an interval)."""
    return NUMBER if type_name.startswith("DECIMAL(") else _KINDS.get(type_name)


class Seen(NamedTuple):
    """A column as a caller sees it. A masked one is text."""

    name: str
    kind: str
    unit: str
    masked: str | None
    description: str


class Figure(NamedTuple):
    """What is aggregated: a metric or a column, by its name."""

    name: str
    metric: Metric
    kind: str


class View(NamedTuple):
    """``columns`` and ``metrics`` by name, in the order of the file."""

    dataset: Dataset
    columns: Mapping[str, Seen]
    metrics: Mapping[str, Metric]

    def column(self, name: str, *, where: str) -> Seen:
        """Raises DecisionError: ``unknown_column``."""
        if name not in self.columns:
            raise DecisionError(
                "unknown_column", f"{where} names no column of the dataset; use one of: {_listed(self.columns)}"
            )
        return self.columns[name]

    def figure(self, name: str | None, aggregation: str) -> Figure | None:
        """What ``name`` means: a metric, a column, or an alias, exactly as written; None: rows are counted.

        Raises:
            DecisionError: ``ambiguous_metric`` with ``candidates``: the alias of several, or no name where one is
                needed; ``unknown_metric``; ``unfit_aggregation``.
        """
        if name is None:
            if aggregation == "count":
                return None
            if len(self.metrics) != 1:
                raise self._ambiguous(f"{aggregation} needs a metric", self.metrics or self.columns)
            name = next(iter(self.metrics))
        found = self._named(name)
        if aggregation not in found.metric.aggregations:
            allowed = ", ".join(found.metric.aggregations)
            raise DecisionError("unfit_aggregation", f"{found.name} has no {aggregation}; use one of: {allowed}")
        return found

    def _named(self, name: str) -> Figure:
        if name in self.metrics:
            return Figure(name, self.metrics[name], NUMBER)
        if name in self.columns:
            seen = self.columns[name]
            fit = tuple(one for one in AGGREGATIONS if one not in NUMERIC or seen.kind == NUMBER)
            return Figure(name, Metric(Name(name), seen.unit, fit), seen.kind)
        meant = [one for one, metric in self.metrics.items() if name in metric.aliases]
        if len(meant) == 1:
            return Figure(meant[0], self.metrics[meant[0]], NUMBER)
        if meant:
            raise self._ambiguous("the metric may mean several", meant)
        known = _listed((*self.metrics, *self.columns))
        raise DecisionError("unknown_metric", f"there is no such metric; use one of: {known}")

    def _ambiguous(self, problem: str, candidates: Iterable[str]) -> DecisionError:
        told = [self._candidate(name) for name in candidates]
        message = f"{problem}; say which: {_listed(candidates)}"
        return DecisionError("ambiguous_metric", message, details={"candidates": told})

    def _candidate(self, name: str) -> dict[str, str]:
        one = self.metrics.get(name) or self.columns[name]
        return {"metric": name, "unit": one.unit, "description": one.description}

    def document(self) -> dict[str, Any]:
        """For the contract that a caller is told."""
        return {
            "dataset_id": self.dataset.name,
            "description": self.dataset.description,
            "columns": [
                {"name": one.name, "kind": one.kind, "unit": one.unit, "masked": one.masked is not None}
                for one in self.columns.values()
            ],
            "metrics": [
                {
                    "name": name,
                    "unit": one.unit,
                    "aggregations": list(one.aggregations),
                    "description": one.description,
                }
                for name, one in self.metrics.items()
            ],
        }


def view(dataset: Dataset, kinds: Mapping[str, str], role: str) -> View:
    """What a role sees of a dataset whose columns are of these kinds."""
    columns: dict[str, Seen] = {}
    for name, kind in kinds.items():
        told = (dataset.columns or {}).get(name, Column())
        clear = told.roles is None or role in told.roles
        if clear:
            columns[name] = Seen(name, kind, told.unit, None, told.description)
        elif told.mask is not None:
            columns[name] = Seen(name, TEXT, "", told.mask, told.description)
    clear_names = {one.name for one in columns.values() if one.masked is None}
    metrics = {name: one for name, one in dataset.metrics.items() if names(one.expression) <= clear_names}
    return View(dataset, columns, metrics)


def _listed(names: Iterable[str]) -> str:
    told = list(names)
    return ", ".join(told[:20]) + (f" and {len(told) - 20} more" if len(told) > 20 else "") if told else "none"
