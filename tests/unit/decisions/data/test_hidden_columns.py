"""What a role may not see is unknown wherever it is named, and a mask is all that there is to ask about."""

from pathlib import Path
from typing import Any

import pytest

from licet.decisions.error import DecisionError
from orders import ANALYST, CLERK, Caller, shop, written

COUNT: dict[str, Any] = {"dataset_id": "orders", "aggregation": "count"}


def naming(column: str) -> list[dict[str, Any]]:
    """Queries that name a column in each place where one can stand."""
    return [
        {**COUNT, "metric": column},
        {**COUNT, "aggregation": "sum", "metric": column},
        {**COUNT, "filter": [{"column": column, "op": "gt", "value": 1}]},
        {**COUNT, "group_by": [column]},
        {**COUNT, "group_by": ["region"], "order": [{"by": column}]},
    ]


async def test_a_hidden_column_is_as_unknown_as_one_that_never_was(tmp_path: Path) -> None:
    with shop(tmp_path) as data:
        for hidden, never in zip(naming("cost"), naming("never"), strict=True):
            told = []
            for query in (hidden, never):
                with pytest.raises(DecisionError) as caught:
                    await data.query(CLERK, query)
                told.append(caught.value.told())
            assert told[0] == told[1]
            assert told[0]["error"]["code"] in ("unknown_column", "unknown_metric")
            assert "cost" not in str(told[0])
        assert (await data.query(ANALYST, {**COUNT, "aggregation": "sum", "metric": "cost"}))["rows"] == [[26]]


async def test_a_metric_of_a_hidden_column_is_hidden(tmp_path: Path) -> None:
    with shop(tmp_path) as data:
        with pytest.raises(DecisionError) as caught:
            await data.query(CLERK, {**COUNT, "aggregation": "sum", "metric": "net"})
        assert caught.value.reason == "unknown_metric"
        # With one of the two hidden, the alias that they share means the other.
        told = await data.query(CLERK, {**COUNT, "aggregation": "sum", "metric": "revenue"})
        assert told["metric"] == "gross"
        described = str(data.describe(CLERK))
        assert "cost" not in described
        assert "'net'" not in described
        assert "cost" in str(data.describe(ANALYST))


async def test_columns_that_are_not_declared_are_not_there(tmp_path: Path) -> None:
    with shop(tmp_path) as data, pytest.raises(DecisionError, match="names no column"):
        await data.query(ANALYST, {**COUNT, "group_by": ["id"]})


async def test_a_pseudonym_groups_without_saying_who(tmp_path: Path) -> None:
    with shop(tmp_path) as data:
        told = await data.query(CLERK, {**COUNT, "group_by": ["customer"], "order": [{"by": "value"}]})
        assert [row[1] for row in told["rows"]] == [1, 2, 2]
        words = [row[0] for row in told["rows"]]
        assert all(word.startswith("~") and len(word) == 17 for word in words)
        assert told["columns"][0]["masked"] is True
        clear = [{"column": "customer", "op": "eq", "value": "ann"}]
        assert (await data.query(CLERK, {**COUNT, "filter": clear}))["rows"] == [[0]]
        assert (await data.query(ANALYST, {**COUNT, "filter": clear}))["rows"] == [[2]]
        masked = [{"column": "customer", "op": "eq", "value": words[0]}]
        assert (await data.query(CLERK, {**COUNT, "filter": masked}))["rows"] == [[1]]
        part = [{"column": "customer", "op": "contains", "value": "an"}]
        assert (await data.query(CLERK, {**COUNT, "filter": part}))["rows"] == [[0]]
    with shop(tmp_path) as data:
        again = await data.query(CLERK, {**COUNT, "group_by": ["customer"]})
        assert not {row[0] for row in again["rows"]} & set(words)


async def test_a_redacted_column_is_one_word_and_no_number(tmp_path: Path) -> None:
    with shop(tmp_path) as data:
        told = await data.query(CLERK, {**COUNT, "group_by": ["note"]})
        assert told["rows"] == [["***", 5]]
        assert (await data.query(CLERK, {**COUNT, "aggregation": "max", "metric": "note"}))["rows"] == [["***"]]
        null = [{"column": "note", "op": "is_null"}]
        assert (await data.query(CLERK, {**COUNT, "filter": null}))["rows"] == [[0]]


async def test_a_masked_number_is_not_summed(tmp_path: Path) -> None:
    masked = {"price": {"roles": ["analyst"], "mask": "pseudonym"}, "units": None}
    metrics = {"gross": {"expression": "price * units"}}
    told = {"orders": {**written(tmp_path, "csv"), "columns": masked, "metrics": metrics}}
    with shop(tmp_path, told) as data:
        for metric, reason in (("price", "unfit_aggregation"), ("gross", "unknown_metric")):
            with pytest.raises(DecisionError) as caught:
                await data.query(CLERK, {**COUNT, "aggregation": "sum", "metric": metric})
            assert caught.value.reason == reason


async def test_another_tenants_dataset_is_as_unknown_as_none(tmp_path: Path) -> None:
    told = {"orders": {**written(tmp_path, "csv"), "tenants": ["ours"]}, "open": {"csv": "orders.csv"}}
    theirs = Caller(tenant="theirs")
    with shop(tmp_path, told) as data:
        errors = []
        for name in ("orders", "never"):
            with pytest.raises(DecisionError) as caught:
                await data.query(theirs, {**COUNT, "dataset_id": name})
            errors.append(caught.value.told())
        assert errors[0] == errors[1]
        assert errors[0]["error"]["status"] == 404
        assert [one["dataset_id"] for one in data.describe(theirs)["datasets"]] == ["open"]
        assert (await data.query(ANALYST, COUNT))["rows"] == [[5]]
