"""Names on the wire: legal everywhere, nobody else's, and decoded only where they were offered."""

import subprocess
import sys
from hashlib import sha256
from random import Random

import pytest

from licet.dialects.names import (
    MAX_WIRE_NAME,
    WireNames,
    identifier_name,
    is_identifier,
    is_legal,
    serve_name,
    wire_name,
)
from licet.errors import ConfigurationError


def digested(prefix: str, name: str) -> str:
    return f"{prefix}___{sha256(name.encode()).hexdigest()[:16]}"


@pytest.mark.parametrize(
    ("name", "wire"),
    [
        ("read", "read"),
        ("local/read", "read"),
        ("read-file", "read-file"),
        ("Read_", "Read_"),
        ("a" * 64, "a" * 64),
        ("mcp/git.git_status", "mcp__git__git_status"),
        ("mcp/my-server.get-sum", "mcp__my-server__get-sum"),
        ("mcp/bare", "mcp__bare"),
        ("team/tool", "team__tool"),
        ("7zip", "local__7zip"),
        ("mcp/7.7", "mcp__7__7"),
        (f"mcp/{'s' * 20}.{'t' * 37}", f"mcp__{'s' * 20}__{'t' * 37}"),
    ],
)
def test_a_name_that_can_be_read_is_said_as_it_is(name: str, wire: str) -> None:
    assert wire_name(name) == wire
    assert is_legal(wire)


@pytest.mark.parametrize(
    ("name", "prefix", "whole"),
    [
        ("files.read", "files_read", "local/files.read"),
        ("a__b", "a_b", "local/a__b"),
        ("mcp/a__b.c", "mcp_a_b_c", "mcp/a__b.c"),
        ("mcp/a_.b", "mcp_a_b", "mcp/a_.b"),
        ("mcp/a._b", "mcp_a_b", "mcp/a._b"),
        ("mcp/git.a.b", "mcp_git_a_b", "mcp/git.a.b"),
        ("mcp/git.", "mcp_git", "mcp/git."),
        ("mcp/git...", "mcp_git", "mcp/git..."),
        ("7/git.status", "_7_git_status", "7/git.status"),
        ("7.z", "_7_z", "local/7.z"),
        ("7" * 64, "_" + "7" * 44, "local/" + "7" * 64),
        ("a" * 65, "a" * 45, "local/" + "a" * 65),
        ("a" * 44 + "." + "b" * 40, "a" * 44, "local/" + "a" * 44 + "." + "b" * 40),
        (f"mcp/{'s' * 20}.{'t' * 38}", f"mcp_{'s' * 20}_{'t' * 20}", f"mcp/{'s' * 20}.{'t' * 38}"),
    ],
)
def test_any_other_name_is_a_readable_prefix_and_a_digest_of_the_whole(name: str, prefix: str, whole: str) -> None:
    wire = wire_name(name)
    assert wire == digested(prefix, whole)
    assert is_legal(wire)
    assert len(wire) <= MAX_WIRE_NAME
    assert wire.count("__") == 1, "only before the digest"


def test_tools_whose_names_a_sanitiser_makes_equal_stay_apart() -> None:
    names = ["mcp/x.files.read", "mcp/x.files_read", "mcp/x.files-read", "mcp/y.files_read"]
    wires = {wire_name(name) for name in names}
    assert len(wires) == 4
    for seed in range(24):
        order = names.copy()
        Random(seed).shuffle(order)
        request = WireNames(order)
        assert set(request.offered) == wires
        assert {request.decode(wire) for wire in wires} == set(names)
        assert request.refused == {}


def test_a_name_is_the_same_after_a_restart() -> None:
    names = ["mcp/x.files.read", "mcp/x.files_read", "a__b", "7zip"]
    script = f"from licet.dialects.names import wire_name\nfor name in {names!r}: print(wire_name(name))"
    for seed in ("0", "1"):
        again = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        )
        assert again.stdout.split() == [wire_name(name) for name in names]


@pytest.mark.parametrize(
    ("server", "shadow"),
    [
        ("mcp/a", "mcp/a__b"),
        ("mcp/a", "mcp/a_"),
        ("mcp/a", "mcp/a-"),
        ("mcp/git", "mcp/git__git"),
        ("mcp/a", "mcp/a_b"),
    ],
)
def test_what_begins_like_a_servers_tools_is_that_servers_tool(server: str, shadow: str) -> None:
    """A client that matches ``mcp__a`` as a beginning must not take in the tools of a server ``a__b``."""
    prefix = wire_name(f"{server}.x").removesuffix("x")
    assert prefix.endswith("__")
    for tool in ("x", "b__x", "_x", "x.y", "", "x" * 60):
        assert not wire_name(f"{shadow}.{tool}").startswith(prefix)
        assert not serve_name(f"{shadow}.{tool}").startswith(serve_name(f"{server}.x").removesuffix("x"))


def test_no_local_tool_passes_for_a_servers() -> None:
    for name in ("mcp__git__git_status", "mcp.git.git_status", "git__git_status", "mcp___git_status"):
        assert wire_name(name) not in {wire_name("mcp/git.git_status"), serve_name("mcp/git.git_status")}
        assert not wire_name(name).startswith("mcp__git__")


def test_a_name_that_is_no_tools_name_has_no_wire_name() -> None:
    for name in ("", "a/b/c", "résumé", "a b", "../etc", "/a", "a" * 321, "\u0430"):
        with pytest.raises(ConfigurationError, match="not a tool's name"):
            wire_name(name)
        with pytest.raises(ConfigurationError, match="not a tool's name"):
            WireNames([name])


# --- one request ---


def test_only_what_this_request_offered_decodes() -> None:
    request = WireNames(["read", "mcp/git.git_status"])
    assert request.decode("mcp__git__git_status") == "mcp/git.git_status"
    assert request.decode("read") == "local/read"
    assert request.encode("local/read") == request.encode("read") == "read"
    for strange in (
        *("git_status", "mcp/git.git_status", "mcp__git__git_log", "MCP__git__git_status", "Read", "local/read"),
        *("mcp__git__git_status ", "read\u200b", "rea\u0501", "", "mcp__git__", wire_name("mcp/git.a.b")),
    ):
        assert request.decode(strange) is None
    with pytest.raises(ConfigurationError, match="'write' is not offered here"):
        request.encode("write")


def test_a_tool_that_is_offered_twice_is_offered_once() -> None:
    request = WireNames(["read", "local/read"])
    assert request.offered == {"read": "local/read"}
    assert request.refused == {}


def test_of_two_tools_with_one_wire_name_the_later_is_refused_with_its_reason() -> None:
    for first, later in (("mcp/a.b", "a/b"), ("a/b", "mcp/a.b")):
        request = WireNames([first, later], encode=serve_name)
        assert request.offered == {"a__b": first}
        assert list(request.refused) == [later]
        assert f"{later!r} would be called 'a__b'" in request.refused[later]
        assert f"the name of {first!r}" in request.refused[later]
        assert "choose another" in request.refused[later]
        with pytest.raises(ConfigurationError, match="would be called 'a__b'"):
            request.encode(later)


def test_what_a_request_offers_cannot_be_changed() -> None:
    request = WireNames(["read"])
    with pytest.raises(TypeError):
        request.offered["write"] = "local/write"  # type: ignore[index]
    with pytest.raises(TypeError):
        request.refused["read"] = "no"  # type: ignore[index]


# --- served ---


@pytest.mark.parametrize(
    ("name", "served"),
    [
        ("mcp/git.git_status", "git__git_status"),
        ("other/git.git_status", "other__git__git_status"),
        ("mcp/bare", "bare"),
        ("read", "read"),
        ("mcp/7.x", "mcp__7__x"),
        ("mcp/a__b.c", wire_name("mcp/a__b.c")),
    ],
)
def test_a_served_name_leaves_out_what_the_client_puts_in_front(name: str, served: str) -> None:
    assert serve_name(name) == served
    assert is_legal(served)


# --- chosen by an operator ---


def test_a_chosen_name_is_the_tools_only_name() -> None:
    request = WireNames(["mcp/git.git_status", "read"], {"mcp/git.git_status": "status"})
    assert request.offered == {"status": "mcp/git.git_status", "read": "local/read"}
    assert request.encode("mcp/git.git_status") == "status"
    assert request.decode("mcp__git__git_status") is None


def test_a_chosen_name_is_kept_for_its_tool_whatever_the_order() -> None:
    chosen = {"mcp/git.git_status": "status"}
    for names in (["status", "mcp/git.git_status"], ["mcp/git.git_status", "status"]):
        request = WireNames(names, chosen)
        assert request.offered == {"status": "mcp/git.git_status"}
        assert "looks like the name of 'mcp/git.git_status'" in request.refused["local/status"]
    absent = WireNames(["status", "read"], chosen)
    assert absent.offered == {"read": "local/read"}, "also while its tool is not offered"


@pytest.mark.parametrize(("like", "kept"), [("Status", True), ("STATUS", True), ("status-", False), ("stat_us", False)])
def test_what_looks_like_a_chosen_name_is_kept_too(like: str, kept: bool) -> None:
    request = WireNames(["x/y", like], {"x/y": "status"})
    assert set(request.refused) == ({f"local/{like}"} if kept else set())


@pytest.mark.parametrize(
    ("one", "other"), [("status", "status"), ("status", "Status"), ("modern", "modem"), ("a11", "alI"), ("o", "O")]
)
def test_two_chosen_names_that_a_person_may_confuse_are_the_operators_mistake(one: str, other: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{other!r} for 'mcp/b.y' is or looks like the name of 'mcp/a.x'"):
        WireNames([], {"mcp/a.x": one, "mcp/b.y": other})


@pytest.mark.parametrize("wire", ["", "7zip", "a.b", "a b", "é", "a" * 65, "mcp/x", "a\n", "-a", 7, None])
def test_a_chosen_name_that_some_dialect_would_not_take_is_the_operators_mistake(wire: str) -> None:
    with pytest.raises(ConfigurationError, match=r"cannot be the name of 'read'; use 1 to 64"):
        WireNames(["read"], {"read": wire})


def test_a_tool_that_is_named_twice_is_the_operators_mistake() -> None:
    with pytest.raises(ConfigurationError, match="'read' is named twice"):
        WireNames(["read"], {"read": "a", "local/read": "b"})
    with pytest.raises(ConfigurationError, match="not a tool's name"):
        WireNames(["read"], {"no name": "a"})


@pytest.mark.parametrize("name", ["read", "mcp/git.git_status", "a.b", "a__b", "Read_", "7zip"])
def test_an_identifier_is_the_wire_name_where_that_is_one(name: str) -> None:
    assert identifier_name(name) == wire_name(name)
    assert is_identifier(identifier_name(name))


@pytest.mark.parametrize(
    ("name", "prefix"),
    [("read-file", "read_file"), ("mcp/my-server.get-sum", "mcp_my_server_get_sum"), ("class", "class"), ("a-", "a")],
)
def test_a_name_that_is_no_identifier_is_a_readable_one_with_a_digest(name: str, prefix: str) -> None:
    whole = name if "/" in name else f"local/{name}"
    assert identifier_name(name) == digested(prefix, whole)
    assert identifier_name(name).isidentifier()


def test_names_that_go_leave_the_others_as_they_are() -> None:
    names = WireNames(["a", "b", "c"])
    fewer = names.without({"local/b": "for another reason"})
    assert dict(fewer.offered) == {"a": "local/a", "c": "local/c"}
    assert fewer.refused == {"local/b": "for another reason"}
    assert (fewer.decode("b"), fewer.encode("c")) == (None, "c")
    with pytest.raises(ConfigurationError, match="for another reason"):
        fewer.encode("b")
    assert names.without({}) is names
