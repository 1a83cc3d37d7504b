"""The table of limits holds the values that are in force."""

import re
from dataclasses import fields
from importlib import import_module
from pathlib import Path

from licet.model.tool import Execution
from licet.runtime.limits import Limits
from licet.sources.mcp.limits import McpLimits

PAGE = (Path(__file__).parents[2] / "docs" / "limits.md").read_text("utf-8")


def rows(heading: str) -> dict[str, float]:
    _, _, after = PAGE.partition(f"## {heading}\n")
    section, _, _ = after.partition("\n## ")
    return {
        name: float(value.replace(",", ""))
        for name, value in re.findall(r"^\| `([\w.:]+)` \| ([\d,.]+) \|", section, re.MULTILINE)
    }


def test_the_page_lists_exactly_the_limits_of_a_runtime() -> None:
    assert rows("Of a runtime") == {field.name: getattr(Limits(), field.name) for field in fields(Limits)}


def test_the_page_lists_exactly_the_limits_of_a_server() -> None:
    assert rows("Of a server") == McpLimits()._asdict()


def test_the_page_gives_the_default_time_of_a_tool() -> None:
    assert rows("Of a tool") == {"timeout_s": Execution().timeout_s}


def test_the_page_gives_the_fixed_limits() -> None:
    listed = rows("Fixed")
    assert len(listed) >= 3
    for place, value in listed.items():
        module, _, name = place.partition(":")
        assert getattr(import_module(module), name) == value, place
