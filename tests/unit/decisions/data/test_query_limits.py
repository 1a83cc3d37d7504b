"""A query ends in time, or is ended, and the next one runs."""

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from licet.decisions.data.statement import Statement
from licet.decisions.error import DecisionError
from orders import ANALYST, Caller, shop

LONG: dict[str, Any] = {"dataset_id": "long", "aggregation": "median", "metric": "m", "group_by": ["k"]}
SHORT: dict[str, Any] = {**LONG, "aggregation": "count", "metric": "k", "group_by": [], "limit": 1}


def long_to_ask(folder: Path) -> dict[str, Any]:
    with closing(duckdb.connect()) as made:
        rows = "SELECT range AS k, range * 0.5 AS v FROM range(3000000)"
        made.execute(f"COPY ({rows}) TO '{folder / 'long.parquet'}' (FORMAT parquet)")
    expression = " + ".join(f"exp(log(v + {n}) / 3)" for n in range(1, 40))
    return {"long": {"parquet": "long.parquet", "metrics": {"m": {"expression": expression}}}}


async def test_a_query_that_takes_too_long_is_ended_and_the_next_one_runs(tmp_path: Path) -> None:
    with shop(tmp_path, long_to_ask(tmp_path), patience_s=0.05) as data:
        with pytest.raises(DecisionError) as caught:
            await data.query(ANALYST, LONG)
        assert (caught.value.reason, caught.value.status) == ("query_timed_out", 503)
        again = {**SHORT, "filter": [{"column": "k", "op": "lt", "value": 5}]}
        data._patience = 30.0
        assert (await data.query(ANALYST, again))["rows"] == [[5]]


async def test_a_cancelled_query_is_interrupted(tmp_path: Path) -> None:
    started = asyncio.Event()
    with shop(tmp_path, long_to_ask(tmp_path)) as data:
        rows = data._rows

        async def watched(made: Statement) -> list[Any]:
            started.set()
            return await rows(made)

        data._rows = watched
        work = asyncio.ensure_future(data.query(ANALYST, LONG))
        await started.wait()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        assert data._turns._value == 2
        assert (await data.query(ANALYST, SHORT))["rows"] == [[3_000_000]]


async def test_a_value_that_cannot_be_computed_is_named_without_the_data(tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_text("a\n9000000000000004242\n")
    told = {"odd": {"csv": "odd.csv", "metrics": {"square": {"expression": "a * a"}}}}
    with shop(tmp_path, told) as data:
        with pytest.raises(DecisionError) as caught:
            await data.query(ANALYST, {"dataset_id": "odd", "aggregation": "sum", "metric": "square"})
        assert caught.value.reason == "query_failed"
        assert "4242" not in str(caught.value.told())


async def test_a_parquet_that_is_cut_after_it_was_connected_is_a_failed_query(tmp_path: Path) -> None:
    with shop(tmp_path, long_to_ask(tmp_path)) as data:
        content = (tmp_path / "long.parquet").read_bytes()
        (tmp_path / "long.parquet").write_bytes(content[:5_000])
        with pytest.raises(DecisionError) as caught:
            await data.query(ANALYST, LONG)
        assert caught.value.reason == "query_failed"
        assert str(tmp_path) not in str(caught.value.told())


async def test_every_node_of_an_expression_has_its_statement(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("a,b\n2,3\n")
    cases: dict[str, float | None] = {
        "-a + 2 * b - a / b": 4 - 2 / 3,
        "a ** b": 8,
        "a / (b - 3)": None,
        "min(a, b, 1) + max(a, b)": 4,
        "abs(-a) + sqrt(a + 2) + floor(a + 0.5) + ceil(a + 0.5)": 9,
        "log(exp(a))": 2,
        "a if a < b else b": 2,
        "(a == 2) + (a != 2) + (a >= 2) * 10 + (a <= 1) + (a > 1)": 12,
    }
    metrics = {f"m{number}": {"expression": text} for number, text in enumerate(cases)}
    with shop(tmp_path, {"n": {"csv": "n.csv", "metrics": metrics}}) as data:
        assert data.problems == {}
        for name, value in zip(metrics, cases.values(), strict=True):
            told = await data.query(ANALYST, {"dataset_id": "n", "aggregation": "max", "metric": name})
            assert told["rows"] == [[value if value is None else pytest.approx(value)]], metrics[name]


async def test_texts_of_many_characters_are_too_large_an_answer(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text("a\n" + "".join(f"{n}{'x' * 50_000}\n" for n in range(100)))
    with shop(tmp_path, {"wide": {"csv": "wide.csv"}}) as data:
        query: dict[str, Any] = {"dataset_id": "wide", "aggregation": "count", "group_by": ["a"]}
        with pytest.raises(DecisionError) as caught:
            await data.query(ANALYST, query)
        assert caught.value.reason == "answer_too_large"
        assert len((await data.query(ANALYST, {**query, "limit": 10}))["rows"]) == 10


async def test_a_tenant_with_many_queries_leaves_a_turn_to_another(tmp_path: Path) -> None:
    finished: list[str] = []
    release, both = asyncio.Event(), asyncio.Event()
    with shop(tmp_path) as data:

        async def held(made: Statement) -> list[Any]:
            if finished.append("began") or len(finished) == 2:
                both.set()
            await release.wait()
            return [(5,)]

        data._rows = held
        query = {"dataset_id": "orders", "aggregation": "count"}
        ours = [asyncio.ensure_future(data.query(ANALYST, query)) for _ in range(5)]
        theirs = asyncio.ensure_future(data.query(Caller(tenant="theirs"), query))
        await both.wait()
        assert len(data._turns_of["ours"]._waiters) == 4
        assert not data._turns_of["theirs"]._waiters
        release.set()
        await asyncio.gather(*ours, theirs)
