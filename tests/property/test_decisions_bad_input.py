"""Whatever somebody sends to a simulation, a recommendation or a query, the answer is JSON or an error with a name."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from licet.decisions.data.data import Data
from licet.decisions.data.dataset import AGGREGATIONS
from licet.decisions.error import DecisionError
from licet.decisions.expression import FUNCTIONS, parse
from licet.decisions.simulation.distribution import KINDS
from licet.decisions.simulation.recommend import recommend
from licet.decisions.simulation.simulate import simulate
from orders import ANALYST, CLERK, COLUMNS, METRICS, shop

NUMBERS = st.one_of(
    st.integers(-5, 5), st.floats(-1e3, 1e3), st.floats(), st.sampled_from([0, -0.0, 1e-320, 1e150, 1e308, 10**30])
)
WORDS = st.sampled_from(
    ["x", "y", "1", "0", "2.5", "1e200", "(", ")", ",", " ", "+", "-", "*", "/", "**", "<", "if", "else"]
)
TEXTS = st.one_of(
    st.lists(st.one_of(WORDS, st.sampled_from([*FUNCTIONS])), max_size=24).map(" ".join),
    st.text(max_size=40),
    st.recursive(
        st.sampled_from(["x", "y", "3", "0.5"]),
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "**", "<", "=="]), inner).map(
                lambda p: f"({' '.join(p)})"
            ),
            st.tuples(st.sampled_from(["abs", "sqrt", "exp", "log", "floor"]), inner).map(lambda p: f"{p[0]}({p[1]})"),
            st.tuples(inner, inner, inner).map(lambda p: f"({p[0]} if {p[1]} else {p[2]})"),
        ),
        max_leaves=8,
    ),
)
PARAMETERS = st.dictionaries(
    st.sampled_from(["low", "mode", "high", "mean", "sd", "mu", "sigma", "values", "probabilities"]),
    st.one_of(NUMBERS, st.lists(NUMBERS, max_size=3)),
    max_size=3,
)
LAWS = st.fixed_dictionaries({"kind": st.sampled_from(KINDS), "parameters": PARAMETERS})
VARIABLES = st.lists(
    st.one_of(
        st.fixed_dictionaries({"name": st.sampled_from(["x", "y"]), "low": NUMBERS, "high": NUMBERS}),
        st.fixed_dictionaries({"name": st.sampled_from(["x", "y"]), "distribution": LAWS}),
        st.just({"name": "x", "low": 1, "mode": 2, "high": 3}),
        st.just({"name": "y", "low": -1, "high": 1}),
    ),
    max_size=3,
)
QUIET = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@QUIET
@given(TEXTS)
def test_every_text_is_an_expression_or_refused(text: str) -> None:
    reason = "invalid_expression"
    try:
        parse(text, where="it")
    except DecisionError as error:
        reason = error.reason
    assert reason == "invalid_expression"


@QUIET
@given(VARIABLES, TEXTS, st.integers(1, 40))
def test_a_simulation_is_finite_or_refused(variables: list[Any], objective: str, count: int) -> None:
    try:
        run = simulate({"variables": variables, "objective": objective, "n_simulations": count, "seed": 1})
    except DecisionError as error:
        json.dumps(error.told(), allow_nan=False)
    else:
        envelope = run.envelope("r")
        assert json.loads(json.dumps(envelope, allow_nan=False)) == envelope
        assert 0 <= envelope["confidence"] <= 1
        assert envelope["p5_downside"] <= envelope["p95_upside"]


@QUIET
@given(VARIABLES, TEXTS, TEXTS)
def test_a_recommendation_is_finite_or_refused(variables: list[Any], one: str, other: str) -> None:
    actions = [{"name": n, "variables": variables, "objective": text} for n, text in (("a", one), ("b", other))]
    try:
        told = recommend({"actions": actions})
    except DecisionError as error:
        json.dumps(error.told(), allow_nan=False)
    else:
        json.dumps(told, allow_nan=False)
        assert told["ranking"][0]["action"] == told["recommended_action"]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with shop(tmp_path_factory.mktemp("shop")) as connected:
        yield connected


NAMES = st.one_of(
    st.sampled_from([*COLUMNS, *METRICS, "revenue", "value", "id", '"price"', "*", "1", "price; --", "$p0", "orders"]),
    st.text(max_size=12),
)
SCALARS = st.one_of(
    st.booleans(), NUMBERS, st.text(max_size=12), st.sampled_from(["2026-01-01", "2026-01-01T00:00:00", "'"])
)
FILTERS = st.lists(
    st.fixed_dictionaries(
        {
            "column": NAMES,
            "op": st.sampled_from("eq ne lt le gt ge in not_in between contains is_null not_null like".split()),
        },
        optional={"value": st.one_of(SCALARS, st.lists(SCALARS, max_size=3))},
    ),
    max_size=3,
)
QUERIES = st.fixed_dictionaries(
    {
        "dataset_id": st.sampled_from(["orders", "orders", "orders", "other", "' OR 1=1"]),
        "aggregation": st.sampled_from(AGGREGATIONS),
    },
    optional={
        "metric": NAMES,
        "group_by": st.lists(NAMES, max_size=3),
        "filter": FILTERS,
        "order": st.lists(
            st.fixed_dictionaries({"by": NAMES}, optional={"direction": st.sampled_from(["asc", "desc", "up"])}),
            max_size=2,
        ),
        "limit": st.integers(-1, 20_000),
    },
)


@QUIET
@given(QUERIES, st.sampled_from([ANALYST, CLERK]))
def test_a_query_is_answered_or_refused_and_shows_a_clerk_nothing_clear(data: Data, query: Any, caller: Any) -> None:
    rows: list[Any] = []
    try:
        told = asyncio.run(data.query(caller, query))
        rows = told["rows"]
    except DecisionError as error:
        told = error.told()
    text = json.dumps(told, allow_nan=False)
    assert "query_failed" not in text
    assert "orders.csv" not in text
    if caller is CLERK:
        assert not {"ann", "bob", "cid", "first", "a'b", "x, y"} & {value for row in rows for value in row}
        assert "cost" not in text
