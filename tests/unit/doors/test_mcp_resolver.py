"""Servers behind a registry: whose tool a name means, what the corridor checks of it, and what is never asked."""

import asyncio
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from types import SimpleNamespace
from typing import Any

import orjson
import pytest

from licet import Tool, ToolRegistry, ToolSpec
from licet.doors.mcp import MCPResolver, MCPToolClient
from licet.doors.mcp.resolver import INTRINSICS, NEVER_ALIASED
from licet.errors import (
    ApprovalDeniedError,
    CapabilityViolation,
    ConfigurationError,
    InvalidArgumentsError,
    ModeViolation,
    QuarantinedError,
    RuleViolation,
    ServerUnavailableError,
    ToolFailedError,
    UnknownToolError,
)
from licet.model.names import canonical
from licet.model.tool import ToolCapability
from licet.model.verdict import PERMIT, Deny
from licet.policy.operator import Rule, argument_rules
from licet.policy.rules import forbid
from licet.ports import Listing
from licet.testing import FakeTransport, RecordingLedger

SEED = {"type": "object", "properties": {"seed": {"type": "string"}}, "required": ["seed"]}


class Source:
    """A server that lists what it is given, or is dead, and counts how often it is asked."""

    def __init__(self, id: str, *tools: str, withheld: Mapping[str, Deny] | None = None, **spec: Any) -> None:
        self.name = f"mcp/{id}"
        self.dead = False
        self.asked = self.closed = 0
        self.threads: set[str] = set()
        self.transports = {tool: FakeTransport({"by": self.name}) for tool in tools}
        offered = [
            Tool(ToolSpec(name=f"{self.name}.{tool}", source="mcp", description=f"{tool} of {id}", **spec), transport)
            for tool, transport in self.transports.items()
        ]
        self.listing = Listing(tuple(offered), {f"{self.name}.{tool}": deny for tool, deny in (withheld or {}).items()})

    @property
    def calls(self) -> "list[dict[str, Any]]":
        return [call for transport in self.transports.values() for call in transport.calls]

    async def list(self) -> Listing:
        self.asked += 1
        self.threads.add(threading.current_thread().name)
        if self.dead:
            raise ServerUnavailableError(f"{self.name} does not start", reason="spawn_failed")
        return self.listing

    async def close(self) -> None:
        self.closed += 1


def over(*sources: Source) -> MCPResolver:
    return MCPResolver(map(MCPToolClient, sources))


def registry_over(*sources: Source, **options: Any) -> ToolRegistry:
    registry = ToolRegistry(**options)
    registry.set_resolver(over(*sources), owned=True)
    return registry


def granting(*tools: str, **more: Any) -> Any:
    return SimpleNamespace(tools=list(tools), **more)


@pytest.mark.requirement("resolver.fallback")
def test_a_granted_bare_name_is_the_first_servers_that_offers_it() -> None:
    one, two = Source("one", "a", "both"), Source("two", "both", "b")
    with registry_over(one, two) as registry:
        given = {"any": ["thing", 1.5, None]}
        assert registry.call("x", granting("both"), "both", given) == {"by": "mcp/one"}
        assert registry.call("x", granting("a"), "a") == {"by": "mcp/one"}
        assert two.asked == 0, "nobody needed it so far"
        assert registry.call("x", granting("b"), "b") == {"by": "mcp/two"}
        assert registry.call("x", granting("mcp/two.both"), "mcp/two.both") == {"by": "mcp/two"}
        assert registry.call("x", granting("local/both"), "both") == {"by": "mcp/one"}
        assert one.transports["both"].calls == [given, {}], "exactly the given params"
        assert (one.asked, two.asked) == (1, 1), "each is asked once what it offers"
    assert (one.closed, two.closed) == (1, 1), "an owned resolver ends with its registry"


@pytest.mark.requirement("call.granted-but-unregistered", "env.mcp-servers")
def test_a_granted_tool_that_no_server_has_is_a_key_error() -> None:
    one = Source("one", "a")
    with registry_over(one) as registry:
        for name in ("b", "mcp/one.b", "mcp/nobody.a", "mcp/one", "other/one.a"):
            with pytest.raises(KeyError) as raised:
                registry.call("x", granting(name), name, {})
            assert isinstance(raised.value, UnknownToolError)
    assert one.calls == []


@pytest.mark.requirement("call.grant-before-transport")
def test_without_a_grant_no_server_is_asked_anything(ledger: RecordingLedger) -> None:
    one = Source("one", "a")
    with registry_over(one, ledger=ledger) as registry:
        for name in ("a", "mcp/one.a", "A", "absent"):
            with pytest.raises(CapabilityViolation):
                registry.call("x", granting("mcp/one.b", "b"), name, {})
    assert (one.asked, one.calls) == (0, [])
    assert ledger.kinds == ["tool.refused"] * 4


def test_a_dead_server_is_the_end_of_a_bare_name_and_not_of_what_is_named_in_full(ledger: RecordingLedger) -> None:
    one, two = Source("one", "a"), Source("two", "a", "b")
    one.dead = True
    with registry_over(one, two, ledger=ledger) as registry:
        for name in ("a", "b"):
            with pytest.raises(ServerUnavailableError) as raised:
                registry.call("x", granting(name), name, {})
            assert raised.value.reason == "spawn_failed"
        assert (two.asked, two.calls) == (0, [])
        assert registry.call("x", granting("mcp/two.a"), "mcp/two.a") == {"by": "mcp/two"}
        one.dead = False
        assert registry.call("x", granting("a"), "a") == {"by": "mcp/one"}, "it is asked again"
    assert ledger.kinds[:2] == ["tool.refused"] * 2
    assert {orjson.loads(entry.body).get("code") for entry in list(ledger.entries())[:2]} == {"server_unavailable"}


def test_a_tool_that_a_server_lists_in_a_bad_form_hides_that_of_a_later_server() -> None:
    bad = {"a": Deny("quarantined", "its schema does not compile", reason="bad_schema")}
    one, two = Source("one", withheld=bad), Source("two", "a")
    with registry_over(one, two) as registry:
        with pytest.raises(QuarantinedError) as raised:
            registry.call("x", granting("a"), "a", {})
        assert raised.value.reason == "bad_schema"
    assert two.calls == []


def test_a_tool_that_cannot_be_registered_is_refused_and_its_siblings_work() -> None:
    one = Source("one", "good")
    wrong = Tool(
        ToolSpec(name="mcp/one.bad", source="mcp", input_schema={"type": "object", "$ref": "https://a.b/c"}),
        FakeTransport(),
    )
    one.listing = one.listing._replace(tools=(wrong, *one.listing.tools))
    with registry_over(one) as registry:
        assert registry.call("x", granting("good"), "good") == {"by": "mcp/one"}
        with pytest.raises(QuarantinedError):
            registry.call("x", granting("bad"), "bad")


@pytest.mark.parametrize("name", ["read", "write", "grep", "create_plan", "emit_ui"])
def test_names_of_bundles_and_intrinsics_are_never_a_servers(name: str) -> None:
    assert name in NEVER_ALIASED
    assert "oracle" not in NEVER_ALIASED, "it is what the environment's registry would have in process"
    assert len(INTRINSICS) == len(set(INTRINSICS)) == 12
    one = Source("one", name)
    with registry_over(one) as registry:
        with pytest.raises(UnknownToolError):
            registry.call("x", granting(name), name, {})
        assert one.calls == []
        assert registry.call("x", granting(f"mcp/one.{name}"), f"mcp/one.{name}") == {"by": "mcp/one"}


@pytest.mark.requirement("resolver.in-process-first")
def test_what_is_registered_here_is_called_here() -> None:
    one = Source("one", "a")
    with registry_over(one) as registry:
        registry.register("a", "here", lambda **_: {"by": "here"})
        assert registry.call("x", granting("a"), "a", {}) == {"by": "here"}
        assert registry.describe(["a"]) == {"a": "here"}
    assert (one.asked, one.calls) == (0, [])


def test_everything_that_governs_a_registered_tool_governs_a_servers(ledger: RecordingLedger) -> None:
    def refuse_red(principal: Any, spec: ToolSpec, arguments: Any) -> Any:
        seen.append(spec.name)
        return Deny("rule_forbids", "not red") if arguments == {"seed": "red"} else PERMIT

    seen: list[str] = []
    asks = ToolCapability(human_approval_required=True)
    one, two = Source("one", "oracle", input_schema=SEED), Source("two", "launch", capabilities=asks)
    with registry_over(one, two, ledger=ledger, checks=[refuse_red]) as registry:
        with pytest.raises(InvalidArgumentsError, match="seed"):
            registry.call("x", granting("oracle"), "oracle", {"seed": 7})
        with pytest.raises(ModeViolation):
            registry.call("x", granting("oracle", mode="read_only"), "oracle", {"seed": "a"})
        with pytest.raises(PermissionError, match="not red"):
            registry.call("x", granting("oracle"), "oracle", {"seed": "red"})
        with pytest.raises(ApprovalDeniedError):
            registry.call("x", granting("launch"), "launch", {})
        assert (one.calls, two.calls) == ([], [])
        registry.call("x", granting("oracle"), "oracle", {"seed": "a"})
    assert seen
    both = {"mcp/one.oracle", "mcp/two.launch", "local/oracle", "local/launch"}
    assert set(seen) == both, "a rule sees both names of a tool"
    requested, completed = list(ledger.entries())[-2:]
    assert orjson.loads(requested.body)["tool"] == "local/oracle", "the body names it as it was granted"
    for entry in (requested, completed):
        assert (orjson.loads(entry.trace)["tool"], orjson.loads(entry.trace)["via"]) == ("mcp/one.oracle", "fake")


@pytest.mark.requirement("resolver.describe")
def test_descriptions_are_the_servers_own() -> None:
    with registry_over(Source("one", "a"), Source("two", "b")) as registry:
        assert registry.describe(["b", "a", "c", "read", "mcp/two.b"]) == {
            "b": "b of two",
            "a": "a of one",
            "mcp/two.b": "b of two",
        }


def test_a_wrapper_that_knows_only_has_describe_and_call_is_served_too(ledger: RecordingLedger) -> None:
    class Wrapper:
        def __init__(self, inner: MCPResolver) -> None:
            self.has, self.describe, self.call = inner.has, inner.describe, inner.call

    one, two = Source("one", "a", input_schema=SEED), Source("two")
    inner = over(one, two)
    with closing(inner), ToolRegistry(ledger=ledger) as registry:
        registry.set_resolver(Wrapper(inner))
        assert registry.call("x", granting("a"), "a", {"seed": "s"}) == {"by": "mcp/one"}
        with pytest.raises(ToolFailedError) as failed:
            registry.call("x", granting("a"), "a", {"seed": 1})
        assert isinstance(failed.value.__cause__, InvalidArgumentsError), "checked where the schema is known"
        two.dead = True
        with pytest.raises(ServerUnavailableError):
            registry.call("x", granting("b"), "b", {})
    assert one.calls == [{"seed": "s"}]


def test_two_servers_of_one_name_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="mcp/one"):
        over(Source("one"), Source("one"))


# --- one client ---


def test_a_client_answers_by_its_servers_own_names() -> None:
    source = Source("one", "a", input_schema=SEED)
    with MCPToolClient(source) as client:
        assert [spec.name for spec in client.list_tools()] == ["mcp/one.a"]
        assert (client.has("a"), client.has("mcp/one.a"), client.has("b")) == (True, False, False)
        assert client.describe("a") == "a of one"
        assert client.call("a", {"seed": "s"}) == {"by": "mcp/one"}
        with pytest.raises(InvalidArgumentsError):
            client.call("a", {"seed": 1})
        for unknown in ("b", "mcp/one.a", "", "a b", "x" * 400):
            with pytest.raises(UnknownToolError):
                client.call(unknown, {})
    assert source.calls == [{"seed": "s"}]
    client.close()
    assert source.closed == 1
    with pytest.raises(ConfigurationError, match="closed"):
        client.call("a", {"seed": "s"})


def test_a_client_that_was_asked_nothing_starts_nothing() -> None:
    source = Source("one", "a")
    MCPToolClient(source).close()
    assert (source.asked, source.closed) == (0, 0)


def test_many_threads_share_one_connection_on_one_thread_of_its_own() -> None:
    source = Source("one", "a")
    with MCPToolClient(source) as client, ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda _: client.call("a"), range(64))) == [{"by": "mcp/one"}] * 64
    assert source.asked == 1
    assert source.threads == {"licet-portal"}


async def test_a_client_can_be_used_inside_a_running_loop_and_beside_it() -> None:
    with MCPToolClient(Source("one", "a")) as client:
        assert client.call("a") == {"by": "mcp/one"}
        assert await asyncio.to_thread(client.call, "a") == {"by": "mcp/one"}


@pytest.mark.parametrize("name", ["oracle", "mcp/far.oracle"])
def test_a_rule_about_either_name_of_a_tool_holds_for_it(name: str) -> None:
    transport = FakeTransport({"omen": "x"})
    far = Tool(ToolSpec(name="mcp/far.oracle", source="mcp"), transport)

    class Finds:
        def has(self, tool: str, /) -> bool:
            return tool == "oracle"

        def find(self, tool: str, /) -> Tool | None:
            return far if tool == "oracle" else None

        def describe(self, tool: str, /) -> str:
            return ""

        def call(self, tool: str, params: Any, /) -> Any:
            raise AssertionError

    class Manifest:
        tools = ("oracle",)

    for check in (forbid(name, reason="not today"), argument_rules({canonical(name): [Rule("/seed", equals="a")]})):
        ledger = RecordingLedger()
        with ToolRegistry(ledger=ledger, checks=[check]) as registry:
            registry.set_resolver(Finds())
            with pytest.raises(RuleViolation):
                registry.call("teller", Manifest, "oracle", {"seed": "b"})
        assert transport.calls == []
        assert ledger.kinds == ["tool.refused"]
