"""A JSON object is made from what has a text of bounded length, and from nothing else."""

from collections.abc import Callable
from time import thread_time
from typing import Any

import pytest

from licet.errors import ConfigurationError
from licet.model.json_object import MOST_PARTS, JsonObject
from licet.model.tool import ToolSpec


@pytest.mark.parametrize(
    "double",
    [lambda inner: {"a": inner, "b": inner}, lambda inner: {"a": [inner, inner]}, lambda inner: {"a": (inner, inner)}],
)
@pytest.mark.parametrize("levels", [20, 60, 2000])
def test_shared_parts_that_unfold_are_refused_before_they_do(double: Callable[[Any], Any], levels: int) -> None:
    value: Any = {"leaf": {"list": [1]}}
    for _ in range(levels):
        value = double(value)
    begun = thread_time()
    with pytest.raises(ConfigurationError):
        JsonObject(value)
    with pytest.raises(ConfigurationError):
        ToolSpec(name="tool", input_schema=value)
    assert thread_time() - begun < 2.0


def test_what_holds_itself_is_refused() -> None:
    value: dict[str, Any] = {"a": {}}
    value["a"]["b"] = [value]
    with pytest.raises(ConfigurationError):
        JsonObject(value)


def test_an_object_of_many_parts_and_one_that_shares_a_few_are_made() -> None:
    shared = {"type": "string"}
    assert JsonObject({"a": shared, "b": [shared, shared]}).json == (
        b'{"a":{"type":"string"},"b":[{"type":"string"},{"type":"string"}]}'
    )
    assert len(JsonObject({"a": list(range(MOST_PARTS - 1))})["a"]) == MOST_PARTS - 1
