"""A structured query as one statement: identifiers come from the catalog, every value is a parameter."""

import datetime as dt
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..error import DecisionError
from ..expression import Name, Node, Number, Operation, fold
from .arguments import USUAL_ROWS, VALUE
from .catalog import BOOLEAN, DATE, MOMENT, NUMBER, Figure, Seen, View

REDACTED = "***"
_COMPARISONS = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_AGGREGATES = {
    "count": "count({})",
    "count_distinct": "count(DISTINCT {})",
    "sum": "sum({})",
    "avg": "avg({})",
    "min": "min({})",
    "max": "max({})",
    "median": "median({})",
    "stddev": "stddev_samp({})",
}
_FUNCTIONS = {"min": "least", "max": "greatest", "log": "ln"}


class Statement(NamedTuple):
    """``text`` and its parameters by name. It yields the groups, then the value, and one row more than ``limit``."""

    text: str
    parameters: Mapping[str, Any]
    groups: tuple[Seen, ...]
    figure: Figure | None
    limit: int


def statement(query: Mapping[str, Any], seen: View, table: str, key: str) -> Statement:
    """The statement of a query that fits the schema, over the internal ``table``. ``key`` is that of pseudonyms.

    Rows come in the order asked for, and then in that of the groups, so that equal data give equal answers.

    Raises:
        DecisionError: ``unknown_column``, ``unknown_metric``, ``ambiguous_metric``, ``unfit_aggregation``,
            ``invalid_filter``, ``invalid_order``.
    """
    return _Writing(seen, key).statement(query, table)


def quoted(identifier: str) -> str:
    """An identifier of the catalog, for DuckDB."""
    return '"' + identifier.replace('"', '""') + '"'


class _Writing:
    def __init__(self, seen: View, key: str) -> None:
        self.seen = seen
        self.key = key
        self.parameters: dict[str, Any] = {}

    def statement(self, query: Mapping[str, Any], table: str) -> Statement:
        groups = tuple(self.seen.column(name, where="group_by") for name in query.get("group_by", ()))
        figure = self.seen.figure(query.get("metric"), query["aggregation"])
        if figure is None:
            value = "count(*)"
        else:
            value = _AGGREGATES[query["aggregation"]].format(self.expression(figure.metric.expression))
        columns = [self.column(one) for one in groups]
        limit = int(query.get("limit", USUAL_ROWS))
        told = f"SELECT {', '.join((*columns, value))} FROM {quoted(table)}"
        if conditions := [self.condition(one) for one in query.get("filter", ())]:
            told += f" WHERE {' AND '.join(conditions)}"
        if groups:
            told += f" GROUP BY {', '.join(map(str, range(1, len(groups) + 1)))}"
            told += f" ORDER BY {self.order(query.get('order', ()), groups)}"
        elif query.get("order"):
            raise DecisionError("invalid_order", "order sorts groups; give group_by, or leave order out")
        return Statement(f"{told} LIMIT {limit + 1}", self.parameters, groups, figure, limit)

    def parameter(self, value: Any) -> str:
        name = f"p{len(self.parameters)}"
        self.parameters[name] = value
        return f"${name}"

    def column(self, one: Seen) -> str:
        """A column as it is shown, wherever it is used: whoever sees a mask filters and sorts masks."""
        if one.masked is None:
            return quoted(one.name)
        if one.masked == "redact":
            return f"'{REDACTED}'"
        self.parameters["key"] = self.key
        # Text first and then cut: equal values are equal words, and no word says what it was made of.
        return f"'~' || substr(sha256($key || CAST({quoted(one.name)} AS VARCHAR)), 1, 16)"

    def expression(self, node: Node) -> str:
        return fold(node, self.applied)

    def applied(self, node: Node, made: list[str]) -> str:
        match node:
            case Number(value):
                return self.parameter(int(value) if value.is_integer() and abs(value) < 2**53 else value)
            case Name(name):
                return self.column(self.seen.column(name, where="the metric"))
            case Operation("negative", _):
                return f"(-{made[0]})"
            case Operation("/", _):
                return f"({made[0]} / nullif({made[1]}, 0))"
            case Operation("**", _):
                return f"pow({made[0]}, {made[1]})"
            case Operation("+" | "-" | "*" as sign, _):
                return f"({made[0]} {sign} {made[1]})"
            case Operation("if", _):
                return f"(CASE WHEN {made[0]} <> 0 THEN {made[1]} ELSE {made[2]} END)"
            case Operation("<" | "<=" | ">" | ">=" | "==" | "!=" as sign, _):
                compared = {"==": "=", "!=": "<>"}.get(sign, sign)
                return f"CAST(({made[0]} {compared} {made[1]}) AS INTEGER)"
            case Operation(function, _):
                return f"{_FUNCTIONS.get(function, function)}({', '.join(made)})"

    def condition(self, told: Mapping[str, Any]) -> str:
        one = self.seen.column(told["column"], where="filter")
        column, op = self.column(one), told["op"]
        if op in ("is_null", "not_null"):
            if "value" in told:
                raise _refused(one, f"{op} takes no value")
            return f"{column} IS {'NOT ' if op == 'not_null' else ''}NULL"
        if "value" not in told:
            raise _refused(one, f"{op} needs a value")
        value = told["value"]
        many = op in ("in", "not_in", "between")
        if many != isinstance(value, list) or (op == "between" and len(value) != 2):
            raise _refused(one, f"{op} takes {'two values' if op == 'between' else 'a list' if many else 'one value'}")
        if op == "contains":
            if one.kind != "text":
                raise _refused(one, "contains is for text")
            return f"contains({column}, {self.parameter(_fit(one, value))})"
        if op in _COMPARISONS:
            return f"{column} {_COMPARISONS[op]} {self.parameter(_fit(one, value))}"
        parameters = [self.parameter(_fit(one, each)) for each in value]
        if op == "between":
            return f"{column} BETWEEN {parameters[0]} AND {parameters[1]}"
        return f"{column} {'NOT ' if op == 'not_in' else ''}IN ({', '.join(parameters)})"

    def order(self, told: Any, groups: tuple[Seen, ...]) -> str:
        places = {one.name: number for number, one in enumerate(groups, 1)}
        value = len(groups) + 1
        sorted_by: dict[int, str] = {}
        for one in told:
            name = one["by"]
            place = value if name == VALUE and name not in places else places.get(name)
            if place is None:
                self.seen.column(name, where="order")
                raise DecisionError("invalid_order", f"order sorts by grouped columns or by {VALUE}; group by it first")
            sorted_by.setdefault(place, one.get("direction", "asc"))
        for place in places.values():
            sorted_by.setdefault(place, "asc")
        return ", ".join(f"{place} {way.upper()} NULLS LAST" for place, way in sorted_by.items())


def _fit(one: Seen, value: Any) -> Any:
    """The value as the column's kind has it."""
    wanted = {NUMBER: "a number", BOOLEAN: "true or false", DATE: "a date such as 2026-03-31"}.get(one.kind, "text")
    if one.kind == MOMENT:
        wanted = "a moment such as 2026-03-31T12:00:00"
    try:
        match one.kind, value:
            case ("boolean", bool()) | ("text", str()):
                return value
            case "number", int() | float() if not isinstance(value, bool):
                return value
            case "date", str():
                return dt.date.fromisoformat(value)
            case "moment", str() if (moment := dt.datetime.fromisoformat(value)).tzinfo is None:
                return moment
    except ValueError:
        pass
    raise _refused(one, f"its values are {wanted}")


def _refused(one: Seen, problem: str) -> DecisionError:
    return DecisionError("invalid_filter", f"the filter of {one.name} does not fit: {problem}")
