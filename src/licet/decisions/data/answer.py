"""What DuckDB gives, as JSON."""

import datetime as dt
import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from .arguments import VALUE
from .statement import Statement

_LARGEST = 2**53


def answer(query: Any, made: Statement, rows: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """``{dataset_id, aggregation, metric, unit, columns, rows, truncated}``; rows are lists in the order of columns.

    ``truncated``: there are more groups than the limit. Numbers that a double cannot hold exactly are text; dates are
    ISO 8601; what is no finite number is null.
    """
    aggregation = query["aggregation"]
    unit = "rows" if aggregation.startswith("count") else made.figure.metric.unit if made.figure else ""
    columns = [
        {"name": one.name, "kind": one.kind, "unit": one.unit, "masked": one.masked is not None} for one in made.groups
    ]
    return {
        "dataset_id": query["dataset_id"],
        "aggregation": aggregation,
        "metric": made.figure.name if made.figure else None,
        "unit": unit,
        "columns": [*columns, {"name": VALUE, "kind": "aggregate", "unit": unit, "masked": False}],
        "rows": [[plain(value) for value in row] for row in rows[: made.limit]],
        "truncated": len(rows) > made.limit,
    }


def plain(value: Any) -> Any:
    """One value as JSON."""
    match value:
        case None | bool() | str():
            return value
        case int():
            return value if abs(value) <= _LARGEST else str(value)
        case float():
            return value if math.isfinite(value) else None
        case Decimal():
            number = float(value)
            if value == value.to_integral_value() and abs(value) <= _LARGEST:
                return int(value)
            return number if Decimal(repr(number)) == value else format(value, "f")
        case dt.datetime() | dt.date():
            return value.isoformat()
    return str(value)
