"""The one flat map: all of a registration or none of it, also where it is asked for names that look alike."""

from typing import Any

import pytest

from licet.catalog import Catalog, Tool
from licet.errors import RegistrationError
from licet.model.tool import ToolSpec
from licet.sources.function import make
from licet.testing import FakeTransport


def tool(name: str) -> Tool:
    def function(a: int) -> int:
        return a

    return make(function, name=name)


def remote(name: str, **facts: Any) -> Tool:
    return Tool(ToolSpec(name=name, source="mcp", **facts), FakeTransport())


def names(catalog: Catalog) -> list[str]:
    return list(catalog.tools)


def test_a_refused_registration_leaves_neither_its_tools_nor_their_look_alikes_behind() -> None:
    catalog = Catalog()
    catalog.add([tool("read")])
    with pytest.raises(RegistrationError, match="already registered"):
        catalog.add([tool("modern"), tool("read")])
    assert names(catalog) == ["local/read"]
    catalog.add([tool("modem")])
    assert names(catalog) == ["local/read", "local/modem"]


@pytest.mark.parametrize(("one", "other"), [("read", "Read"), ("modern", "modem"), ("pay", "PAY"), ("l0g", "IOg")])
def test_names_that_look_alike_are_refused_in_one_registration_and_in_two(one: str, other: str) -> None:
    together = Catalog()
    with pytest.raises(RegistrationError, match="mistaken"):
        together.add([tool(one), tool(other)])
    assert names(together) == []
    in_turn = Catalog()
    in_turn.add([tool(one)])
    with pytest.raises(RegistrationError, match="mistaken"):
        in_turn.add([tool(other)])
    assert names(in_turn) == [f"local/{one}"]


def test_names_that_look_alike_in_two_namespaces_are_two_tools() -> None:
    catalog = Catalog()
    catalog.add([remote("mcp/git.read"), remote("other/git.Read"), tool("read")])
    assert names(catalog) == ["mcp/git.read", "other/git.Read", "local/read"]


def test_a_removed_tool_leaves_its_look_alikes_free() -> None:
    catalog = Catalog()
    catalog.add([tool("modern")])
    assert catalog.remove("modern")
    assert not catalog.remove("modern")
    catalog.add([tool("modem")])
    assert names(catalog) == ["local/modem"]


def test_a_replaced_tool_keeps_its_place_and_its_look_alikes() -> None:
    catalog = Catalog()
    catalog.add([tool("modern"), tool("read")])
    catalog.add([tool("modern")], replace=True)
    assert names(catalog) == ["local/modern", "local/read"]
    with pytest.raises(RegistrationError, match="mistaken"):
        catalog.add([tool("modem")], replace=True)


def test_a_reader_keeps_the_map_that_it_has() -> None:
    catalog = Catalog()
    catalog.add([tool("read")])
    before = catalog.tools
    catalog.add([tool("write")])
    catalog.remove("read")
    assert list(before) == ["local/read"]
    assert names(catalog) == ["local/write"]
