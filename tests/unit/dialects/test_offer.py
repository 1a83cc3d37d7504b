"""One request's tools: names, declarations, losses, what is refused, and the way back of a call."""

import json
from typing import Any

import pytest

from licet.dialects import gemini, openai_chat, openai_responses
from licet.dialects import offer as module
from licet.dialects.loss import Loss
from licet.dialects.lower.forms import ANTHROPIC, GEMINI, OPENAI_CHAT, OPENAI_STRICT
from licet.dialects.offer import Declared, Offer, Wire, offer
from licet.errors import ConfigurationError
from licet.model.call import Request
from licet.model.json_object import JsonObject
from licet.model.names import NOT_OFFERED, canonical
from licet.model.tool import HostedTool, ModelTool, ToolSpec

CLOSED = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
    "required": ["path"],
    "additionalProperties": False,
}


def declare(tool: Declared) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "schema": tool.schema, "strict": tool.strict}


WIRE = Wire("plain", OPENAI_CHAT, declare, OPENAI_STRICT)


def spec(name: str, schema: dict[str, Any] | None = None, **given: Any) -> ToolSpec:
    return ToolSpec(name=name, description=f"What {name} does.", input_schema=schema or CLOSED, **given)


def test_tools_are_declared_in_their_order_under_their_wire_names() -> None:
    made = offer(WIRE, [spec("read"), spec("mcp/git.log"), spec("a.b")])
    assert [one["name"] for one in made.tools] == ["read", "mcp__git__log", made.names.encode("a.b")]
    assert made.tools[0] == {"name": "read", "description": "What read does.", "schema": CLOSED, "strict": False}
    assert (made.losses, dict(made.refused), made.dialect) == ((), {}, "plain")


def test_nothing_offered_is_an_empty_list() -> None:
    made = offer(WIRE, [])
    assert (made.tools, dict(made.names.offered)) == ([], {})
    assert made.request("read", {}).tool == f"{NOT_OFFERED}read"


def test_what_is_handed_out_cannot_change_the_offer() -> None:
    made = offer(WIRE, [spec("read")])
    made.tools[0]["schema"]["properties"].clear()
    made.tools.clear()
    assert made.tools[0]["schema"] == CLOSED
    for change in (made.refused, made.hosted, made.names.offered):
        with pytest.raises(TypeError):
            change["x"] = "y"  # type: ignore[index]
    assert offer(WIRE, [spec("read")]).tools[0]["schema"] == CLOSED


def test_no_runtime_fact_is_within_reach_of_a_dialect() -> None:
    full = spec(
        "read",
        title="SECRET",
        group="SECRET",
        category="shell",
        path_access="allowed_roots",
        path_arguments=("/path",),
        metadata={"SECRET": 1},
        output_schema={"type": "object", "title": "SECRET"},
        handler=lambda path: path,
    )
    seen: list[Any] = []

    def watch(tool: Declared) -> dict[str, Any]:
        seen.append(tool)
        return declare(tool)

    made = offer(Wire("watched", OPENAI_CHAT, watch), [full])
    assert [type(one) for one in seen] == [Declared]
    assert "SECRET" not in json.dumps(made.tools)
    assert "shell" not in json.dumps(made.tools)


def test_a_call_is_decoded_by_exactly_the_name_that_was_offered() -> None:
    made = offer(WIRE, [spec("mcp/git.log")])
    assert made.request("mcp__git__log", {"path": "a"}, "c1") == Request("mcp/git.log", {"path": "a"}, "c1")


def test_a_name_that_was_not_offered_is_no_tools_name() -> None:
    made = offer(WIRE, [spec("mcp/git.log")])
    for name in ("mcp/git.log", "MCP__git__log", "mcp__git__log ", "git__log", "", "local/mcp__git__log"):
        told = made.request(name, {}, "c2")
        assert told == Request(f"{NOT_OFFERED}{name}", {}, "c2")
        with pytest.raises(ConfigurationError):
            canonical(told.tool)


@pytest.mark.parametrize("name", [None, 7, ["read"], {"name": "read"}])
def test_a_name_that_is_no_text_is_no_tool(name: Any) -> None:
    assert offer(WIRE, [spec("read")]).request(name, {}).tool.startswith(NOT_OFFERED)


def test_a_name_that_was_made_up_is_legible_and_short() -> None:
    told = offer(WIRE, []).request("a\u202e\n" + "b" * 9999, None).tool
    assert told.isprintable()
    assert len(told) < 300


def strict() -> Offer:
    return offer(WIRE, [spec("read", strict=True)])


def test_injected_nulls_are_taken_out_of_objects_and_of_text() -> None:
    assert strict().tools[0]["strict"] is True
    assert strict().tools[0]["schema"]["required"] == ["limit", "path"]
    given = {"path": "a", "limit": None}
    assert strict().request("read", given).arguments == {"path": "a"}
    assert given == {"path": "a", "limit": None}
    assert strict().request("read", json.dumps(given)).arguments == {"path": "a"}
    assert strict().request("read", {"path": None, "limit": 3}).arguments == {"path": None, "limit": 3}


@pytest.mark.parametrize(
    "text",
    [
        '{"path": "a", "limit": null, "path": "b"}',
        '{"path": NaN, "limit": null}',
        '{"path": "a", "limit": null',
        '["limit", null]',
        "null",
        "",
        "[" * 9999,
        '{"path": "\ud800"}',
    ],
)
@pytest.mark.parametrize("asked", [True, False])
def test_text_that_is_not_a_strict_object_stays_as_it_is(text: str, asked: bool) -> None:
    made = offer(WIRE, [spec("read", strict=asked)])
    assert made.request("read", text, "c") == Request("local/read", text, "c")


def test_arguments_that_are_no_json_stay_as_they_are() -> None:
    odd: dict[str, Any] = {"path": float("nan"), "limit": None}
    assert strict().request("read", odd).arguments is odd
    assert strict().request("read", None).arguments is None


def test_losses_are_sorted_and_name_their_tool() -> None:
    made = offer(
        WIRE, [spec("b", {**CLOSED, "$schema": "https://json-schema.org/draft/2020-12/schema"}), spec("a", strict=True)]
    )
    assert made.losses == (
        Loss("local/a", "", "required", "every property"),
        Loss("local/a", "/properties/limit", "type", "or null"),
        Loss("local/b", "", "$schema", "dropped"),
    )


def test_what_the_root_cannot_hold_is_said_of_the_tool() -> None:
    made = offer(WIRE, [spec("read", {**CLOSED, "anyOf": [{"required": ["limit"]}]})])
    assert made.tools[0]["description"] == 'What read does.\n\nFits one or more of [{"required":["limit"]}].'
    assert "anyOf" not in made.tools[0]["schema"]


def test_a_schema_that_cannot_be_used_refuses_its_tool_and_no_other() -> None:
    made = offer(
        WIRE, [spec("bad", {"type": "object", "properties": {"a": {"$ref": "https://example.test/x"}}}), spec("good")]
    )
    assert [one["name"] for one in made.tools] == ["good"]
    assert "leads out of the schema" in made.refused["local/bad"]
    assert made.request("bad", {}).tool == f"{NOT_OFFERED}bad"
    assert dict(made.names.offered) == {"good": "local/good"}
    big = ModelTool("local/big", "", JsonObject({"type": "object", "minProperties": 1 << 70}))
    assert "64 bits" in offer(WIRE, [big]).refused["local/big"]


def test_hosted_tools_are_declared_as_they_are_or_refused_with_the_reason() -> None:
    search = HostedTool("p/search", JsonObject({"plain": {"type": "web_search", "name": "web_search"}, "x": {"a": 1}}))
    elsewhere = ToolSpec(name="p/other", source="hosted", hosted={"other": {"type": "other"}})
    empty = HostedTool("p/empty", JsonObject({"plain": {}}))
    made = offer(WIRE, [spec("read"), search, elsewhere, empty])
    assert made.tools[1:] == [{"type": "web_search", "name": "web_search"}]
    assert made.hosted["p/search"] == {"type": "web_search", "name": "web_search"}
    assert made.request("web_search", {}).tool == f"{NOT_OFFERED}web_search"
    assert made.refused == {
        "p/other": "'p/other' is run by a provider, and it is not declared for plain",
        "p/empty": "'p/empty' is run by a provider, and its declaration is empty for plain",
    }


def test_a_tool_is_refused_that_would_bear_the_name_of_a_hosted_one() -> None:
    search = HostedTool("p/search", JsonObject({"plain": {"type": "web_search", "name": "web_search"}}))
    made = offer(WIRE, [spec("web_search"), search])
    assert [one.get("type") for one in made.tools] == ["web_search"]
    assert "as is 'p/search', which the provider runs" in made.refused["local/web_search"]
    assert made.request("web_search", {}).tool == f"{NOT_OFFERED}web_search"


def test_names_that_an_operator_chose_are_used_and_kept_for_their_tool() -> None:
    made = offer(WIRE, [spec("mcp/git.log"), spec("history")], chosen={"mcp/git.log": "history"})
    assert [one["name"] for one in made.tools] == ["history"]
    assert made.request("history", {}).tool == "mcp/git.log"
    assert "history" in made.refused["local/history"]
    with pytest.raises(ConfigurationError, match="names:"):
        offer(WIRE, [], chosen={"mcp/git.log": "no spaces"})


def test_names_are_identifiers_where_a_wire_wants_them() -> None:
    gemini = Wire("gemini", GEMINI, declare)
    made = offer(gemini, [spec("read-file"), spec("class"), spec("ok")], chosen={"ok": "not-ok"})
    assert all(one["name"].isidentifier() for one in made.tools)
    assert [made.request(one["name"], {}).tool for one in made.tools] == ["local/read-file", "local/class"]
    assert "which gemini does not take" in made.refused["local/ok"]


def test_properties_come_back_under_their_own_names() -> None:
    schema = {"type": "object", "properties": {"filter[x]": {"type": "string"}, "ok": {"type": "string"}}}
    made = offer(Wire("anthropic", ANTHROPIC, declare), [spec("find", schema)])
    ok, odd = sorted(made.tools[0]["schema"]["properties"], key=len)
    assert (ok, odd.startswith("filter_x_")) == ("ok", True)
    assert made.request("find", {odd: "a", ok: "b"}).arguments == {"filter[x]": "a", "ok": "b"}
    assert made.request("find", {"filter[x]": "a"}).arguments == {"filter[x]": "a"}
    assert made.request("find", {"filter[x]": "a", odd: "b"}).arguments == {"filter[x]": "a", odd: "b"}


def test_the_same_tools_are_made_into_an_offer_once() -> None:
    tools = [spec("read"), spec("mcp/git.log", strict=True)]
    made = offer(WIRE, tools)
    assert offer(WIRE, tools) is made
    assert offer(WIRE, iter(tools)) is made
    assert offer(WIRE, [one.model_tool for one in tools]) is made
    assert offer(WIRE, tools[::-1]) is not made
    assert offer(WIRE, tools, chosen={"read": "other"}) is not made
    assert offer(WIRE._replace(dialect="another"), tools).dialect == "another"


def test_offers_that_are_kept_have_a_bound() -> None:
    for number in range(2 * module.CACHED):
        offer(WIRE, [spec(f"t{number}")])
    assert module._same.cache_info().currsize == module.CACHED
    assert module._equal.cache_info().currsize == module.CACHED


def test_an_id_that_another_tool_gets_is_never_taken_for_the_first() -> None:
    for number in range(300):
        made = offer(WIRE, [spec(f"t{number}")])
        assert dict(made.names.offered) == {f"t{number}": f"local/t{number}"}


def test_more_tools_than_a_provider_takes_in_one_request_are_refused_with_the_reason() -> None:
    few = WIRE._replace(most_tools=3)
    search = HostedTool("local/search", JsonObject({"plain": {"name": "search"}}))
    tools = [spec(f"t{number}") for number in range(5)]
    made = offer(few, [*tools, search])
    assert [one["name"] for one in made.tools] == ["t0", "t1", "search"]
    assert list(made.refused) == ["local/t2", "local/t3", "local/t4"]
    assert made.refused["local/t2"] == (
        "'t2' is one more than the 3 tools that plain takes in one request; grant fewer"
    )
    assert made.request("t2", {}).tool == f"{NOT_OFFERED}t2"
    assert dict(offer(few, tools[:3]).refused) == {}
    assert len(offer(WIRE, tools).tools) == 5


@pytest.mark.parametrize(("dialect", "most"), [(openai_chat, 128), (openai_responses, 128), (gemini, 512)])
def test_no_request_holds_more_tools_than_its_provider_says(dialect: Any, most: int) -> None:
    made = dialect.compile([spec(f"t{number}") for number in range(most + 2)])
    assert len(made.names.offered) == most
    assert list(made.refused) == [f"local/t{most}", f"local/t{most + 1}"]
    assert dialect is gemini or len(made.tools) == most
    assert json.dumps(made.tools).count("What t") == most


@pytest.mark.parametrize("dialect", [openai_chat, openai_responses])
def test_a_server_that_takes_more_tools_gets_them_all(dialect: Any) -> None:
    made = dialect.compile([spec(f"t{number}") for number in range(200)], most_tools=None)
    assert (len(made.tools), dict(made.refused)) == (200, {})
