"""Python functions as tools: what the decorator, the spec and the triple make of them."""

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest

from doubles import holder
from licet import CallContext, Runtime, Tool, ToolCapability, ToolSpec, tool
from licet.errors import ConfigurationError, RegistrationError
from licet.model.tool import Annotations, Execution
from licet.sources.combine import combine
from licet.sources.function import bind, make, triple
from licet.testing import FakeTransport, fake_tool


def search(query: str, limit: int = 10) -> dict[str, Any]:
    """Find what was written.

    More.
    """
    return {"query": query, "limit": limit}


def test_a_bare_decorator_takes_name_docstring_and_signature_and_no_flags() -> None:
    made = tool(search)
    spec = made.spec
    assert (spec.name, spec.description) == ("local/search", "Find what was written.\n\nMore.")
    assert spec.input_schema["properties"]["query"] == {"type": "string"}
    assert spec.input_schema["required"] == ["query"]
    assert spec.input_schema["additionalProperties"] is False
    assert spec.schema_inferred
    assert (spec.capabilities, spec.category, spec.source) == (ToolCapability(), "utility", "dynamic")
    assert spec.execution == Execution(mode="sequential", timeout_s=30.0, abortable=True, inline=False)
    assert spec.annotations == Annotations()
    assert (spec.path_access, spec.path_arguments, spec.handler) == ("none", (), None)


def test_options_become_what_the_author_declared() -> None:
    made = tool(
        read_only=True, timeout_s=5, inline=True, paths=["query"], group="mine", name="team/find", title="Find",
        description="Other words.",
    )(search)  # fmt: skip
    spec = made.spec
    assert (spec.name, spec.title, spec.description, spec.group) == ("team/find", "Find", "Other words.", "mine")
    assert spec.capabilities == ToolCapability(read_only=True, idempotent=True)
    assert (spec.category, spec.annotations.read_only) == ("read", True)
    assert spec.execution == Execution(mode="parallel", timeout_s=5, inline=True)
    assert (spec.path_access, spec.path_arguments) == ("danger_full_access", ("/query",))
    writing = tool(writes=True, idempotent=True, unsafe=True, approval=True, mode="parallel", abortable=False)(
        search
    ).spec
    assert writing.capabilities == ToolCapability(
        writes=True, idempotent=True, unsafe=True, human_approval_required=True
    )
    assert (writing.category, writing.execution.mode, writing.execution.abortable) == ("write", "parallel", False)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"read_only": True, "writes": True}, "read_only and writes"),
        ({"read_only": True, "checkpoint": search, "restore": search}, "checkpointable"),
        ({"checkpoint": search}, "come together"),
        ({"restore": search}, "come together"),
        ({"timeout_s": 0}, "timeout_s"),
        ({"name": "no name"}, "tool's name"),
    ],
)
def test_options_that_contradict_each_other_say_so_at_once(options: dict[str, Any], told: str) -> None:
    with pytest.raises((ConfigurationError, RegistrationError), match=told):
        tool(**options)(search)


def test_a_misspelt_option_or_path_is_an_error_of_the_author() -> None:
    with pytest.raises(TypeError):
        tool(readonly=True)(search)
    with pytest.raises(RegistrationError, match="/pahts"):
        Runtime([tool(paths=["pahts"])(search)])
    with pytest.raises(ConfigurationError, match="made from a function"):
        make(7)  # type: ignore[arg-type]


def test_a_coroutine_function_cannot_be_inline() -> None:
    async def coroutine() -> None: ...

    with pytest.raises(RegistrationError, match="cannot be inline"):
        tool(inline=True)(coroutine)


def test_a_triple_has_a_name_a_description_and_no_flags() -> None:
    made = triple("oracle", "Draw an omen.", lambda **params: params)
    assert (made.spec.name, made.spec.description) == ("local/oracle", "Draw an omen.")
    assert made.spec.capabilities == ToolCapability()
    assert made.spec.input_schema == {"type": "object"} or made.spec.input_schema["additionalProperties"] is not False
    assert triple("oracle", "", search).spec.description == "", "an empty description is a description"


async def test_a_schema_of_the_authors_own_is_the_schema() -> None:
    schema = {"type": "object", "properties": {"query": {"type": "string", "maxLength": 3}}, "required": ["query"]}
    for made in (
        bind(ToolSpec(name="search", input_schema=schema, handler=search)),
        tool(input_schema=schema)(search),
    ):
        assert not made.spec.schema_inferred
        assert made.spec.input_schema == schema
        async with Runtime([made]) as runtime:
            assert (await runtime.call(holder("search"), "search", {"query": "abc"})).success
            assert (await runtime.call(holder("search"), "search", {"query": "abcd"})).code == "invalid_arguments"
    inferred = bind(ToolSpec(name="search", handler=search))
    assert inferred.spec.schema_inferred
    assert inferred.spec.input_schema["required"] == ["query"]
    assert inferred.spec.handler is None


async def test_a_context_parameter_is_injected_and_in_no_schema() -> None:
    seen: list[Any] = []

    def wants(query: str, here: CallContext) -> str:
        seen.append(here)
        return here.call_id

    schema = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
    for made in (
        tool(wants),
        bind(ToolSpec(name="wants", handler=wants)),
        bind(ToolSpec(name="wants", handler=wants, input_schema=schema)),
    ):
        assert "here" not in str(made.spec.input_schema)
        async with Runtime([made]) as runtime:
            result = await runtime.call(holder("wants"), "wants", {"query": "x"})
        assert result.output == result.call_id
    assert len(seen) == 3


async def test_arguments_come_back_as_the_annotated_types() -> None:
    from dataclasses import dataclass
    from enum import Enum

    class Colour(Enum):
        RED = "red"

    @dataclass
    class Point:
        x: int
        y: int

    got: list[Any] = []

    @tool(read_only=True)
    async def draw(point: Point, colour: Colour = Colour.RED) -> None:
        got.append((point, colour))

    async with Runtime([draw]) as runtime:
        assert (await runtime.call(holder("draw"), "draw", {"point": {"x": 1, "y": 2}, "colour": "red"})).success
        assert (await runtime.call(holder("draw"), "draw", {"point": {"x": "1", "y": 2}})).code == "invalid_arguments"
    assert got == [(Point(1, 2), Colour.RED)]


# --- several sources as one ---


class Source:
    def __init__(self, *tools: Any) -> None:
        self._tools = tools

    def tools(self) -> Iterable[Any]:
        return iter(self._tools)


def test_everything_that_can_be_a_tool_is_taken_in_order() -> None:
    fake, _ = fake_tool("a")
    offers: list[Any] = [
        fake,
        ToolSpec(name="b", handler=search),
        search,
        Source(fake_tool("c")[0], Source(ToolSpec(name="d", handler=search), search)),
        Tool(ToolSpec(name="e", handler=search)),
        ToolSpec(name="f", source="hosted"),
        Source(),
    ]
    assert [made.spec.name.removeprefix("local/") for made in combine(offers)] == [
        "a", "b", "search", "c", "d", "search", "e", "f",
    ]  # fmt: skip
    for wrong in (7, None, "search", {"name": "x"}):
        with pytest.raises(ConfigurationError, match="no tool"):
            combine([wrong])  # type: ignore[list-item]


def test_a_tool_with_its_own_transport_keeps_it() -> None:
    transport = FakeTransport()
    (made,) = combine([Tool(ToolSpec(name="a", handler=search), transport)])
    assert made.transport is transport


def test_all_or_none_are_registered() -> None:
    runtime = Runtime([tool(search)])
    with pytest.raises(RegistrationError):
        runtime.register(fake_tool("new")[0], tool(search))
    assert [spec.name for spec in runtime.specs()] == ["local/search"]
    registered = runtime.register(fake_tool("new")[0], tool(search), replace=True)
    assert [spec.name for spec in registered] == ["local/new", "local/search"]
    assert [spec.name for spec in runtime.specs()] == ["local/search", "local/new"], "a replaced tool keeps its place"
    runtime.close()


def test_names_that_look_alike_are_refused_in_one_namespace_only() -> None:
    runtime = Runtime([fake_tool("team/model")[0]])
    for alike in ("team/Model", "team/rnodel", "team/mode1", "team/modeI", "team/MODEL"):
        with pytest.raises(RegistrationError, match="mistaken"):
            runtime.register(fake_tool(alike)[0])
    runtime.register(fake_tool("other/Model")[0], fake_tool("model")[0])
    assert runtime.remove("team/model")
    runtime.register(fake_tool("team/Model")[0])
    runtime.close()


async def test_a_transport_may_be_anything_that_can_be_awaited() -> None:
    class Future:
        kind = 'odd", "x": "'

        def call(self, arguments: Any, context: Any, /) -> "asyncio.Future[Any]":
            future = asyncio.get_running_loop().create_future()
            future.set_result({"ok": 1})
            return future

    from licet.testing import RecordingLedger

    ledger = RecordingLedger()
    async with Runtime([Tool(ToolSpec(name="t"), Future())], ledger=ledger) as runtime:
        assert (await runtime.call(holder("t"), "t")).output == {"ok": 1}
    import orjson

    assert orjson.loads(next(iter(ledger.entries())).trace)["via"] == 'odd", "x": "'
