"""Tools as a client is told of them over the Model Context Protocol."""

import pytest

from licet.dialects import mcp
from licet.dialects.loss import Loss
from licet.errors import ConfigurationError
from licet.model.json_object import JsonObject
from licet.model.tool import HostedTool, ToolSpec

STATUS = ToolSpec(name="mcp/git.git_status", description="Look.", input_schema={"type": "object", "properties": {}})


def test_tools_have_the_names_that_they_are_served_by_and_nothing_else_of_the_runtime() -> None:
    made = mcp.compile([STATUS, ToolSpec(name="now")])
    assert made.tools == [
        {"name": "git__git_status", "description": "Look.", "inputSchema": {"type": "object", "properties": {}}},
        {"name": "now", "inputSchema": {"type": "object"}},
    ]
    assert made.names.decode("git__git_status") == "mcp/git.git_status"
    assert made.names.decode("mcp__git__git_status") is None
    assert (made.losses, dict(made.refused)) == ((), {})


def test_a_name_of_your_own_is_used_and_kept_for_its_tool() -> None:
    made = mcp.compile([ToolSpec(name="look"), STATUS], chosen={"mcp/git.git_status": "look"})
    assert [tool["name"] for tool in made.tools] == ["look"]
    assert made.names.decode("look") == "mcp/git.git_status"
    assert list(made.refused) == ["local/look"]
    with pytest.raises(ConfigurationError, match="cannot be the name"):
        mcp.compile([STATUS], chosen={"mcp/git.git_status": "a.b"})


def test_what_a_models_provider_runs_is_not_served() -> None:
    hosted = ToolSpec(name="search", source="hosted", hosted={"anthropic": {"type": "t", "name": "n"}})
    for one in (hosted, hosted.hosted_tool, HostedTool("local/search", JsonObject({}))):
        made = mcp.compile([one, STATUS.model_tool])
        assert [tool["name"] for tool in made.tools] == ["git__git_status"]
        assert "cannot be served" in made.refused["local/search"]


def test_an_order_to_repeat_an_argument_in_a_header_goes_and_is_a_loss() -> None:
    schema = {"type": "object", "properties": {"key": {"type": "string", "x-mcp-header": "Key"}}}
    made = mcp.compile([ToolSpec(name="t", input_schema=schema)])
    assert made.tools[0]["inputSchema"]["properties"] == {"key": {"type": "string"}}
    assert made.losses == (Loss("local/t", "", "x-mcp-header", "dropped"),)


def test_of_two_tools_with_one_name_the_first_counts() -> None:
    made = mcp.compile([ToolSpec(name="t", description="first"), ToolSpec(name="t", description="second")])
    assert [tool["description"] for tool in made.tools] == ["first"]
    assert mcp.compile([]).tools == []
