"""Structured queries over each kind of file give exact answers, in one order."""

from pathlib import Path
from typing import Any

import pytest

from licet.decisions.data.dataset import KINDS
from licet.decisions.error import DecisionError
from orders import ANALYST, COLUMNS, METRICS, shop, written


async def ask(folder: Path, **query: Any) -> dict[str, Any]:
    with shop(folder) as data:
        assert data.problems == {}
        return await data.query(ANALYST, {"dataset_id": "orders", **query})


async def refused(folder: Path, **query: Any) -> DecisionError:
    with pytest.raises(DecisionError) as caught:
        await ask(folder, **query)
    return caught.value


@pytest.mark.parametrize("kind", KINDS)
async def test_each_kind_of_file_answers_alike(tmp_path: Path, kind: str) -> None:
    told = {"orders": {**written(tmp_path, kind), "columns": COLUMNS, "metrics": METRICS}}
    with shop(tmp_path, told) as data:
        assert data.problems == {}
        answer = await data.query(
            ANALYST,
            {
                "dataset_id": "orders",
                "metric": "gross",
                "aggregation": "sum",
                "group_by": ["region"],
                "filter": [{"column": "day", "op": "lt", "value": "2026-03-01"}],
                "order": [{"by": "value", "direction": "desc"}],
            },
        )
    assert answer["rows"] == [["north", 25.0], ["south", 17.0]]
    assert (answer["unit"], answer["metric"], answer["truncated"]) == ("EUR", "gross", False)
    assert [one["name"] for one in answer["columns"]] == ["region", "value"]


AGGREGATES: list[tuple[dict[str, Any], Any]] = [
    ({"aggregation": "count"}, 5),
    ({"aggregation": "count", "metric": "note"}, 4),
    ({"aggregation": "count_distinct", "metric": "customer"}, 3),
    ({"aggregation": "sum", "metric": "units"}, 18),
    ({"aggregation": "avg", "metric": "price_each"}, 5.15),
    ({"aggregation": "median", "metric": "price"}, 4.0),
    ({"aggregation": "min", "metric": "day"}, "2026-01-01"),
    ({"aggregation": "max", "metric": "moment"}, "2026-03-01T10:00:00"),
    ({"aggregation": "max", "metric": "region"}, "west"),
    ({"aggregation": "sum", "metric": "margin"}, 26.0),
]


@pytest.mark.parametrize(("query", "value"), AGGREGATES)
async def test_an_aggregate_is_exact(tmp_path: Path, query: dict[str, Any], value: Any) -> None:
    assert (await ask(tmp_path, **query))["rows"] == [[pytest.approx(value) if isinstance(value, float) else value]]


FILTERS: list[tuple[str, str, Any, int]] = [
    ("region", "eq", "north", 2),
    ("region", "ne", "north", 3),
    ("units", "gt", 1, 3),
    ("units", "between", [2, 4], 2),
    ("price", "le", 4.0, 3),
    ("paid", "eq", True, 3),
    ("region", "in", ["north", "west"], 3),
    ("region", "not_in", ["north"], 3),
    ("day", "ge", "2026-02-02", 2),
    ("moment", "lt", "2026-01-02T00:00:00", 1),
    ("note", "contains", "%", 1),
    ("note", "eq", "a'b", 1),
    ("note", "eq", "' OR '1'='1", 0),
    ("note", "contains", "'; DROP TABLE orders; --", 0),
]


@pytest.mark.parametrize(("column", "op", "value", "rows"), FILTERS)
async def test_a_filter_counts_what_it_says(tmp_path: Path, column: str, op: str, value: Any, rows: int) -> None:
    told = await ask(tmp_path, aggregation="count", filter=[{"column": column, "op": op, "value": value}])
    assert told["rows"] == [[rows]]


async def test_null_is_asked_by_name(tmp_path: Path) -> None:
    for op, rows in (("is_null", 1), ("not_null", 4)):
        assert (await ask(tmp_path, aggregation="count", filter=[{"column": "note", "op": op}]))["rows"] == [[rows]]


async def test_more_groups_than_the_limit_are_said_to_be_more(tmp_path: Path) -> None:
    told = await ask(tmp_path, aggregation="count", group_by=["region"], limit=2)
    assert told["rows"] == [["north", 2], ["south", 2]]
    assert told["truncated"] is True


async def test_a_batch_is_answered_in_its_order_or_not_at_all(tmp_path: Path) -> None:
    first = {"dataset_id": "orders", "aggregation": "count"}
    with shop(tmp_path) as data:
        second = {**first, "filter": [{"column": "units", "op": "gt", "value": 1}]}
        told = await data.query(ANALYST, {"queries": [first, second]})
        assert [one["rows"] for one in told["answers"]] == [[[5]], [[3]]]
        with pytest.raises(DecisionError, match="no column"):
            await data.query(ANALYST, {"queries": [first, {**first, "group_by": ["never"]}]})


async def test_an_ambiguous_metric_asks_back_with_candidates(tmp_path: Path) -> None:
    error = await refused(tmp_path, aggregation="sum", metric="revenue")
    assert error.reason == "ambiguous_metric"
    assert [one["metric"] for one in error.told()["error"]["candidates"]] == ["gross", "net"]
    error = await refused(tmp_path, aggregation="sum")
    assert [one["metric"] for one in error.details["candidates"]] == ["gross", "net", "price_each"]


SQL = (
    "orders; DROP TABLE orders",
    "price) FROM orders; --",
    '"price"',
    "1 OR 1=1",
    "(SELECT 1)",
    "read_csv('/etc/passwd')",
    "price\0",
    "*",
    "region\u2028",
)


@pytest.mark.parametrize("text", SQL)
async def test_statements_in_every_field_are_refused_by_name(tmp_path: Path, text: str) -> None:
    plain: dict[str, Any] = {"dataset_id": "orders", "aggregation": "count"}
    queries = [
        ({**plain, "dataset_id": text}, "dataset_not_found"),
        ({**plain, "metric": text}, "unknown_metric"),
        ({**plain, "aggregation": text}, "invalid_arguments"),
        ({**plain, "group_by": [text]}, "unknown_column"),
        ({**plain, "filter": [{"column": text, "op": "eq", "value": 1}]}, "unknown_column"),
        ({**plain, "filter": [{"column": "price", "op": text, "value": 1}]}, "invalid_arguments"),
        ({**plain, "filter": [{"column": "price", "op": "eq", "value": text}]}, "invalid_filter"),
        ({**plain, "group_by": ["region"], "order": [{"by": text}]}, "unknown_column"),
        ({**plain, "group_by": ["region"], "order": [{"by": "region", "direction": text}]}, "invalid_arguments"),
        ({**plain, "limit": text}, "invalid_arguments"),
        ({**plain, "sql": text}, "invalid_arguments"),
        ({"queries": [{**plain, "group_by": [text]}]}, "unknown_column"),
    ]
    with shop(tmp_path) as data:
        for query, reason in queries:
            with pytest.raises(DecisionError) as caught:
                await data.query(ANALYST, query)
            assert caught.value.reason == reason, query
            assert text not in str(caught.value.told())
        assert (await data.query(ANALYST, plain))["rows"] == [[5]]


UNFIT: list[tuple[dict[str, Any], str]] = [
    ({"aggregation": "sum", "metric": "region"}, "unfit_aggregation"),
    ({"aggregation": "sum", "metric": "price_each"}, "unfit_aggregation"),
    ({"aggregation": "count", "order": [{"by": "value"}]}, "invalid_order"),
    ({"aggregation": "count", "group_by": ["region"], "order": [{"by": "day"}]}, "invalid_order"),
    ({"aggregation": "count", "filter": [{"column": "units", "op": "eq", "value": "1"}]}, "invalid_filter"),
    ({"aggregation": "count", "filter": [{"column": "units", "op": "eq", "value": True}]}, "invalid_filter"),
    ({"aggregation": "count", "filter": [{"column": "units", "op": "eq"}]}, "invalid_filter"),
    ({"aggregation": "count", "filter": [{"column": "units", "op": "eq", "value": [1]}]}, "invalid_filter"),
    ({"aggregation": "count", "filter": [{"column": "units", "op": "between", "value": [1]}]}, "invalid_filter"),
    ({"aggregation": "count", "filter": [{"column": "units", "op": "in", "value": 1}]}, "invalid_filter"),
    ({"aggregation": "count", "filter": [{"column": "units", "op": "is_null", "value": 1}]}, "invalid_filter"),
    ({"aggregation": "count", "filter": [{"column": "units", "op": "contains", "value": "1"}]}, "invalid_filter"),
    ({"aggregation": "count", "filter": [{"column": "day", "op": "eq", "value": "31.3.2026"}]}, "invalid_filter"),
    (
        {"aggregation": "count", "filter": [{"column": "moment", "op": "eq", "value": "2026-01-01T00Z"}]},
        "invalid_filter",
    ),
    ({"aggregation": "count", "queries": []}, "invalid_arguments"),
    ({"aggregation": "count", "limit": 10_001}, "invalid_arguments"),
    ({"aggregation": "count", "group_by": ["region", "region"]}, "invalid_arguments"),
]


@pytest.mark.parametrize(("query", "reason"), UNFIT)
async def test_a_query_that_does_not_fit_is_named(tmp_path: Path, query: dict[str, Any], reason: str) -> None:
    assert (await refused(tmp_path, **query)).reason == reason


async def test_numbers_that_a_double_cannot_hold_are_text(tmp_path: Path) -> None:
    (tmp_path / "big.csv").write_text("a,b\n9007199254740993,0.1\n9007199254740993,0.2\n")
    with shop(tmp_path, {"big": {"csv": "big.csv"}}) as data:
        told = await data.query(ANALYST, {"dataset_id": "big", "aggregation": "sum", "metric": "a"})
        assert told["rows"] == [["18014398509481986"]]
        told = await data.query(ANALYST, {"dataset_id": "big", "aggregation": "sum", "metric": "b"})
        assert told["rows"] == [[pytest.approx(0.3)]]
