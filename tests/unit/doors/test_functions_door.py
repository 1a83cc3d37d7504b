"""Tools as plain async functions: their names, signatures and docstrings, and the corridor behind each of them."""

import inspect
import typing
from typing import Any, Literal

import pytest

from doubles import READS, holder
from licet import Principal, Runtime, ToolCapability, tool
from licet.errors import ConfigurationError, InvalidArgumentsError, ToolFailedError
from licet.runtime.functions import identifier
from licet.testing import RecordingLedger, fake_tool


@tool(read_only=True)
async def search(query: str, limit: int = 10, tags: list[str] | None = None, kind: Literal["a", "b"] = "a") -> Any:
    """Find what was written.

    More words.
    """
    return {"query": query, "limit": limit, "tags": tags, "kind": kind}


WHO = holder("search", "t", "u")


async def test_a_function_has_the_tools_name_signature_and_docstring() -> None:
    async with Runtime([search]) as runtime:
        (function,) = runtime.functions_for(WHO)
    assert inspect.iscoroutinefunction(function)
    assert (function.__name__, function.__qualname__) == ("search", "search")
    assert function.__doc__ == "Find what was written.\n\nMore words."
    parameters = inspect.signature(function).parameters
    assert {name: p.kind for name, p in parameters.items()} == dict.fromkeys(
        ("query", "limit", "tags", "kind"), inspect.Parameter.KEYWORD_ONLY
    )
    assert parameters["query"].default is inspect.Parameter.empty
    assert (parameters["limit"].default, parameters["tags"].default, parameters["kind"].default) == (10, None, "a")
    hints = typing.get_type_hints(function)
    assert hints["query"] is str
    assert hints["kind"] == Literal["a", "b"]
    assert hints["return"] is str


async def test_a_call_walks_the_corridor_and_gives_the_block_or_the_output(ledger: RecordingLedger) -> None:
    async with Runtime([search], ledger=ledger) as runtime:
        (rendered,) = runtime.functions_for(WHO)
        (plain,) = runtime.functions_for(WHO, rendered=False)
        block = await rendered(query="x", limit=3)
        assert "<<data " in block
        assert await plain(query="x", tags=["t"]) == {"query": "x", "limit": 10, "tags": ["t"], "kind": "a"}
        assert (await plain(query="x", limit=None))["limit"] == 10, "a framework that fills in None means: left out"
    assert ledger.kinds == ["tool.requested", "tool.completed"] * 3
    assert len({entry.run_id for entry in ledger.entries()}) == 2, "the functions of one call of it share a run"


@pytest.mark.parametrize("rendered", [True, False])
async def test_a_refusal_is_text_and_touches_nothing(ledger: RecordingLedger, rendered: bool) -> None:
    fake, transport = fake_tool("t", capabilities=READS, input_schema={"type": "object", "required": ["x"]})
    runtime = Runtime([fake], ledger=ledger)
    (function,) = runtime.functions_for(WHO, rendered=rendered)
    for arguments in ({}, {"y": 1}, {"x": float("nan")}, {"x": object()}):
        told = await function(**arguments)
        assert isinstance(told, str)
        assert "invalid_arguments" in told
    runtime.remove("t")
    assert "unknown_tool" in await function(x=1)
    assert transport.calls == []
    assert ledger.kinds == ["tool.refused"] * 5
    runtime.close()


async def test_with_errors_raise_it_raises_the_typed_error(ledger: RecordingLedger) -> None:
    fake, _ = fake_tool("t", ValueError("secret"), capabilities=READS)
    async with Runtime([search, fake], ledger=ledger) as runtime:
        functions = {f.__name__: f for f in runtime.functions_for(WHO, errors="raise", rendered=False)}
        with pytest.raises(InvalidArgumentsError):
            await functions["search"](query=1)
        with pytest.raises(ToolFailedError) as raised:
            await functions["t"]()
        assert "secret" not in str(raised.value)
        with pytest.raises(ConfigurationError, match="'return' or 'raise'"):
            runtime.functions_for(WHO, errors="log")  # type: ignore[arg-type]


async def test_functions_are_for_what_the_principal_may_see() -> None:
    reads, _ = fake_tool("t", capabilities=READS)
    writes, _ = fake_tool("u")
    asks, _ = fake_tool("v", capabilities=ToolCapability(unsafe=True))
    async with Runtime([reads, writes, asks]) as runtime:
        assert [f.__name__ for f in runtime.functions_for(holder("t", "u", "v"))] == ["t", "u"]
        assert [f.__name__ for f in runtime.functions_for(Principal("r", grants=["t", "u"]))] == ["t"]
        assert runtime.functions_for(Principal("nobody")) == []


def test_a_name_that_is_no_identifier_becomes_one_that_depends_on_it_alone() -> None:
    names = [
        "local/read", "team/read", "mcp/git.status", "local/class", "local/a__b", "local/a-b", "local/a.b", "local/9a",
        "local/" + "x" * 65, "local/None", "mcp/a.b.c", "mcp/a.b_c", "local/match",
    ]  # fmt: skip
    made = [identifier(name) for name in names]
    assert made[0] == "read"
    assert all(name.isidentifier() and len(name) <= 64 for name in made)
    assert len({name.casefold() for name in made}) == len(names)
    assert [identifier(name) for name in reversed(names)] == made[::-1]
    assert "__" in made[1], "only a local name stays itself, so that no other can take it"


@pytest.mark.parametrize(
    ("schema", "hint"),
    [
        ({"type": "string"}, str), ({"type": "integer"}, int), ({"type": "number"}, float), ({"type": "boolean"}, bool),
        ({"type": "array", "items": {"type": "string"}}, list[str]), ({"type": "object"}, dict[str, Any]),
        ({"enum": ["a", 1, None]}, Literal["a", 1, None]), ({"enum": [[1], {}]}, Any), (True, Any), ({}, Any),
        ({"type": ["string", "null"]}, str | None), ({"anyOf": [{"type": "string"}, {"type": "null"}]}, str | None),
        ({"oneOf": [{"type": "integer"}, {"type": "string"}]}, int | str), ({"$ref": "#/$defs/x"}, Any),
    ],
)  # fmt: skip
async def test_an_annotation_is_the_closest_python_type(schema: Any, hint: Any) -> None:
    whole = {"type": "object", "properties": {"x": schema}, "required": ["x"], "$defs": {"x": {"type": "string"}}}
    fake, _ = fake_tool("t", input_schema=whole, capabilities=READS)
    async with Runtime([fake]) as runtime:
        (function,) = runtime.functions_for(WHO)
    assert function.__annotations__["x"] == hint


async def test_null_is_sent_where_the_schema_takes_it_and_left_out_where_it_does_not() -> None:
    properties = {
        "plain": {"type": "string"},
        "nullable": {"type": ["string", "null"]},
        "either": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "anything": {},
        "true": True,
        "null": {"type": "null"},
        "listed": {"enum": ["a", None]},
        "const": {"const": 1},
        "refers": {"$ref": "#/$defs/x"},
    }
    schema = {"type": "object", "properties": properties, "$defs": {"x": {"type": "string"}}}
    fake, transport = fake_tool("t", input_schema=schema, capabilities=READS)
    async with Runtime([fake]) as runtime:
        (function,) = runtime.functions_for(WHO, rendered=False)
        await function(**dict.fromkeys(properties))
    assert transport.calls == [dict.fromkeys(("nullable", "either", "anything", "true", "null", "listed"))]


async def test_arguments_that_python_cannot_spell_come_as_one_object() -> None:
    for name in ("class", "a-b", "1x", ""):
        schema = {"type": "object", "properties": {name: {"type": "integer"}}, "additionalProperties": False}
        fake, transport = fake_tool("t", input_schema=schema, capabilities=READS)
        async with Runtime([fake]) as runtime:
            (function,) = runtime.functions_for(WHO)
            assert list(inspect.signature(function).parameters) == ["arguments"]
            await function(arguments={name: 1})
            assert "invalid_arguments" in await function(arguments={name: "one"})
            assert transport.calls == [{name: 1}]


async def test_an_open_tool_takes_anything_by_name(ledger: RecordingLedger) -> None:
    fake, transport = fake_tool("t", capabilities=READS)
    async with Runtime([fake], ledger=ledger) as runtime:
        (function,) = runtime.functions_for(WHO, rendered=False)
        (parameter,) = inspect.signature(function).parameters.values()
        assert parameter.kind is inspect.Parameter.VAR_KEYWORD, "a framework has to know that it may"
        await function(tool="x", run="y", arguments={"z": 1}, self=1)
        with pytest.raises(TypeError):
            await function("positional")
    assert transport.calls == [{"tool": "x", "run": "y", "arguments": {"z": 1}, "self": 1}]
