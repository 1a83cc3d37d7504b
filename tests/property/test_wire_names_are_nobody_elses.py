"""No two tools share a wire name, and each leads back to its own tool: over generated names, in any order."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from licet.dialects.names import WireNames, serve_name, wire_name
from licet.model.names import canonical, parse

EVERY_PROVIDER = re.compile(r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$", re.ASCII)

letters = "aAbB01lI_-."
"""Few, so that names come close to each other."""

tails = st.text(letters, max_size=8)
starts = st.sampled_from("aAbB01lI")
words = st.builds(str.__add__, starts, tails)
ids = st.builds(str.__add__, starts, st.text("ab1_-", max_size=6))
local = words
served = st.builds("{}/{}.{}".format, st.one_of(st.just("mcp"), ids), ids, st.text(letters, max_size=8))
bare = st.builds("{}/{}".format, ids.filter(lambda plugin: plugin != "local"), words)
long = st.builds("{}{}".format, served, st.text("ab_.", min_size=40, max_size=120))
names = st.one_of(local, served, bare, long).map(canonical)


@settings(max_examples=1500, deadline=None)
@given(names, names)
def test_two_tools_never_share_a_wire_name(one: str, other: str) -> None:
    for name in (one, other):
        assert EVERY_PROVIDER.match(wire_name(name))
        assert EVERY_PROVIDER.match(serve_name(name))
    assert (wire_name(one) == wire_name(other)) is (one == other)


@settings(max_examples=1500, deadline=None)
@given(names, names)
def test_the_tools_of_a_server_are_all_that_begins_with_its_name(one: str, other: str) -> None:
    first, second = parse(one), parse(other)
    wire = wire_name(one)
    if not first.server or "___" in wire:
        return
    prefix = f"{first.plugin}__{first.server}__"
    assert wire.startswith(prefix)
    if wire_name(other).startswith(prefix):
        assert (first.plugin, first.server) == (second.plugin, second.server)


@settings(max_examples=500, deadline=None)
@given(st.lists(names, max_size=12), st.randoms(use_true_random=False))
def test_every_tool_is_found_again_in_any_order_and_company(tools: list[str], random: object) -> None:
    request = WireNames(tools)
    assert request.refused == {}
    assert {request.encode(name): name for name in tools} == dict(request.offered)
    assert all(request.decode(request.encode(name)) == name for name in tools)
    shuffled = tools.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert WireNames(shuffled).offered == request.offered
    for name in tools:
        assert WireNames([name]).encode(name) == request.encode(name)


@settings(max_examples=500, deadline=None)
@given(st.lists(names, max_size=12))
def test_a_served_tool_is_offered_or_refused_and_never_stands_for_another(tools: list[str]) -> None:
    request = WireNames(tools, encode=serve_name)
    assert set(request.offered.values()) | set(request.refused) == set(tools)
    assert not set(request.offered.values()) & set(request.refused)
    for wire, name in request.offered.items():
        assert serve_name(name) == wire


@pytest.mark.parametrize("beyond", ["", "a" * 65, "é", "7a", "-a", "a.b", "a/b", "a\n"])
def test_the_pattern_that_these_tests_go_by_is_strict(beyond: str) -> None:
    assert EVERY_PROVIDER.fullmatch(beyond) is None
