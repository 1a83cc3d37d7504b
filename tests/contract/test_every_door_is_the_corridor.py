"""Every public entry is walked: no handler is reached except through dispatch, and nothing handed out can run a tool.

The list of entries is not written down here. It is read from the package, so that a new one fails until it is walked.
"""

import ast
import asyncio
import dataclasses
import inspect
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import licet
from doubles import Says, Script, Spy, holder
from licet import MCPResolver, MCPToolClient, Runtime, Tool, ToolCapability, ToolRegistry, ToolRunner, ToolSpec
from licet.agents.loop import loop
from licet.doors.blocking import Blocking
from licet.model.call import Request
from licet.model.said import HostedItem
from licet.ports import Listing, Message
from licet.runtime.run import Run
from licet.sources.function import make
from licet.testing import RecordingLedger

ASKS = ToolCapability(unsafe=True)
PLAIN = ToolCapability()
NAMES = ("asynchronous", "threaded", "inline", "transport", "resolved")
WHO = holder(*NAMES)


class Reached:
    """The handlers of every kind of tool, each of which notes the rooms on the stack that it was called from."""

    def __init__(self) -> None:
        self.by: list[tuple[str, ...]] = []
        self.threads: dict[int, tuple[str, ...]] = {}

    def note(self) -> dict[str, Any]:
        frame, files = sys._getframe(1), []
        while frame is not None:
            name = frame.f_code.co_filename
            if "/licet/" in name and "/tests/" not in name:
                files.append(name.rpartition("/licet/")[2])
            frame = frame.f_back  # type: ignore[assignment]
        self.by.append(tuple(files))
        return {}

    def tools(self, capabilities: ToolCapability) -> list[Tool]:
        async def asynchronous() -> Any:
            return self.note()

        def threaded() -> Any:
            return self.note()

        def inline() -> Any:
            return self.note()

        reached = self

        class Transport:
            async def call(self, arguments: Any, context: Any, /) -> Any:
                return reached.note()

        flags = {"unsafe": capabilities.unsafe}
        return [
            make(asynchronous, **flags),
            make(threaded, **flags),
            make(inline, inline=True, **flags),
            Tool(ToolSpec(name="transport", capabilities=capabilities), Transport()),
        ]

    def resolver(self) -> Spy:
        return Spy(resolved=lambda **_: self.note())


ROOMS = (
    "runtime/dispatch.py", "runtime/corridor.py", "runtime/run.py", "runtime/runtime.py", "runtime/workers.py",
    "runtime/functions.py", "runtime/portal.py", "runtime/resolve.py",
)  # fmt: skip


class Manifest:
    tools = NAMES


# --- the entries, and how each is walked ---

Walk = Callable[[Runtime, str], Any]


async def by_run_call(runtime: Runtime, name: str) -> Any:
    async with runtime.run(WHO) as run:
        return await run.call(name)


async def by_run_batch(runtime: Runtime, name: str) -> Any:
    async with runtime.run(WHO) as run:
        return await run.batch([Request(name), Request(name)])


async def by_runtime_call(runtime: Runtime, name: str) -> Any:
    return await runtime.call(WHO, name)


async def by_functions_for(runtime: Runtime, name: str) -> Any:
    return [await function() for function in runtime.functions_for(WHO) if function.__name__ == name]


async def by_loop(runtime: Runtime, name: str) -> Any:
    async with runtime.run(WHO) as run:
        return await loop(Script(Message("assistant", calls=(Request(name),))), run, [], "go")


def by_call_blocking(runtime: Runtime, name: str) -> Any:
    return runtime.call_blocking(runtime.begin(WHO), name)


def by_blocking(runtime: Runtime, name: str) -> Any:
    with Blocking(runtime, WHO) as door:
        return door.call(name)


WALKS: dict[str, Walk] = {
    "Runtime.call": by_runtime_call,
    "Runtime.run": by_run_call,
    "Runtime.begin": by_call_blocking,
    "Runtime.call_blocking": by_call_blocking,
    "Runtime.functions_for": by_functions_for,
    "Run.call": by_run_call,
    "Run.batch": by_run_batch,
    "Blocking.call": by_blocking,
    "loop": by_loop,
}
HARMLESS = {
    "Runtime": {
        "tools_for", "resolved_for", "why", "register", "remove", "spec", "specs", "attach", "portal", "close",
        "ledger", "connect", "note", "withhold", "withheld", "checks", "hosted_for",
    },
    "Run": {
        "turn", "abort", "rollback", "mint", "context", "workspace", "keep", "close", "id", "principal", "fence",
        "approver", "budget", "is_bounded", "turn_now", "once", "holds_handles", "next_turn",
        "task", "hosted", "answers", "spoken", "may_go_on",
    },
    "ToolRegistry": {"register", "get", "list_tools", "remove", "describe", "set_resolver", "close", "runtime"},
    "ToolRunner": {"discover", "activate", "deactivate", "close"},
    "Blocking": {"run_id", "close"},
}  # fmt: skip
"""What calls no tool. Each is called below, and reaches no handler."""

WALKED_HERE = {"ToolRegistry": {"call", "begin"}, "ToolRunner": {"execute"}}


def public(cls: type, instance: object) -> set[str]:
    return {name for name in {*dir(cls), *vars(instance)} if not name.startswith("_")}


def test_every_public_name_of_every_door_is_walked_or_known_to_be_harmless() -> None:
    runtime = Runtime()
    registry = ToolRegistry()
    doors: dict[type, object] = {
        Runtime: runtime,
        Run: runtime.begin(WHO),
        ToolRegistry: registry,
        ToolRunner: ToolRunner(registry),
        Blocking: Blocking(runtime, WHO),
    }
    for door, instance in doors.items():
        walked = {name.partition(".")[2] for name in WALKS if name.startswith(f"{door.__name__}.")}
        known = walked | WALKED_HERE.get(door.__name__, set()) | HARMLESS[door.__name__]
        assert public(door, instance) - known == set(), f"a new entry of {door.__name__}: walk it here"
        assert known - public(door, instance) == set(), f"{door.__name__} has no such entry any more"
    runtime.close()
    registry.close()


def test_every_public_name_of_the_package_is_a_fact_or_a_door() -> None:
    facts = {
        "Ask", "CallContext", "CapabilityViolation", "Deny", "GrantSet", "McpServer", "ModelTool", "PathPolicy",
        "Permit", "Principal", "ServerSpec", "Tool", "ToolCall", "ToolCapability", "ToolError", "ToolResolver",
        "ToolResult", "ToolSpec", "Verdict", "errors", "tool",
    }  # fmt: skip
    doors = {"MCPResolver", "MCPToolClient", "Runtime", "ToolRegistry", "ToolRunner"}
    doors |= {"default_tool_registry", "mcp_resolver_from_env"}  # which give a ToolRegistry, and an MCPResolver
    assert set(licet.__all__) == facts | doors


# --- through dispatch, and with every flag ---


def assert_through_dispatch(reached: Reached) -> None:
    assert reached.by, "nothing was reached"
    for files in reached.by:
        if files[-1] != "runtime/workers.py":  # a thread of licet's: dispatch handed it its work
            assert "runtime/dispatch.py" in files, files
        rooms = {name for name in files if name.startswith("runtime/")}
        assert rooms <= set(ROOMS), files


def test_only_dispatch_touches_a_transport() -> None:
    """What the stacks above show of the tools that were called holds for the text of every room."""
    package = Path(licet.__file__).parent
    for file in (package / "runtime").glob("*.py"):
        calls = {
            node.func.attr
            for node in ast.walk(ast.parse(file.read_text("utf-8")))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        }
        found = calls & {"call_blocking", "checkpoint", "restore"}
        allowed = {"dispatch.py": {"call_blocking", "checkpoint", "restore"}, "resolve.py": {"call_blocking"}}
        assert found <= allowed.get(file.name, set()), file.name


def walked(walk: Walk, runtime: Runtime, name: str) -> Any:
    made = walk(runtime, name)
    return asyncio.run(made) if inspect.iscoroutine(made) else made


@pytest.mark.requirement("capability.enforced")
@pytest.mark.parametrize("entry", sorted(WALKS))
def test_an_entry_reaches_handlers_only_through_dispatch(entry: str, ledger: RecordingLedger) -> None:
    for name in NAMES:
        reached = Reached()
        runtime = Runtime(reached.tools(PLAIN), ledger=ledger)
        runtime.attach(reached.resolver())
        walked(WALKS[entry], runtime, name)
        if (entry, name) != ("Runtime.functions_for", "resolved"):
            assert_through_dispatch(reached)
        runtime.close()
    assert ledger.kinds.count("tool.requested") == ledger.kinds.count("tool.completed") > 0


@pytest.mark.requirement("capability.enforced")
@pytest.mark.parametrize("entry", sorted(WALKS))
@pytest.mark.parametrize("word", [None, False, 1, ValueError(), True])
def test_an_entry_enforces_the_flags_with_and_without_an_approver(entry: str, word: Any) -> None:
    for name in NAMES[:-1]:
        reached = Reached()
        approver = None if word is None else Says(word)
        runtime = Runtime(reached.tools(ASKS), approver=approver)
        walked(WALKS[entry], runtime, name)
        assert bool(reached.by) is (word is True), (entry, name)
        if word is True:
            assert approver is not None
            assert len(approver.asked) == len(reached.by)
        runtime.close()


@pytest.mark.requirement("capability.enforced")
@pytest.mark.parametrize("word", [None, False, True])
def test_the_doors_of_the_seeds_are_the_same_corridor(word: bool | None) -> None:
    for capabilities in (PLAIN, ASKS):
        approver = None if word is None else Says(word)
        may = capabilities is PLAIN or word is True
        for name in NAMES:
            if name == "resolved" and capabilities is ASKS:
                continue
            reached, ledger = Reached(), RecordingLedger()
            registry = ToolRegistry(ledger=ledger, approver=approver)
            for one in reached.tools(capabilities):
                registry.register(one)
            registry.set_resolver(reached.resolver())
            if may:
                registry.call("a", Manifest, name)
                registry.runtime.call_blocking(registry.begin(WHO), name)
            else:
                with pytest.raises(licet.errors.ApprovalDeniedError):
                    registry.call("a", Manifest, name)
            runner = ToolRunner(registry)
            assert not runner.execute(name).success
            if name != "resolved":
                runner.activate(name)
                assert runner.execute(name).success is may
            assert bool(reached.by) is may
            if may:
                assert_through_dispatch(reached)
            assert ledger.kinds.count("tool.requested") == len(reached.by)
            registry.close()


@pytest.mark.requirement("capability.enforced")
def test_the_doors_of_servers_are_the_same_corridor() -> None:
    for capabilities in (PLAIN, ASKS):
        reached = Reached()
        [over] = [one for one in reached.tools(capabilities) if one.spec.name == "local/transport"]
        far = Tool(dataclasses.replace(over.spec, name="mcp/far.transport", source="mcp"), over.transport)

        class Source:
            name = "mcp/far"

            async def list(self) -> Listing:
                return Listing((far,))  # noqa: B023

            async def close(self) -> None: ...

        client = MCPToolClient(Source())
        with MCPResolver([client]) as resolver:
            for call in (client.call, resolver.call):
                with suppress(licet.errors.ApprovalDeniedError):
                    call("transport", {})
        assert bool(reached.by) is (capabilities is PLAIN)
        if capabilities is PLAIN:
            assert_through_dispatch(reached)


def test_what_is_harmless_reaches_no_handler() -> None:
    reached = Reached()
    registry = ToolRegistry(approver=Says(True))
    runtime = registry.runtime
    for one in reached.tools(PLAIN):
        registry.register(one)
    resolver = reached.resolver()
    registry.set_resolver(resolver)
    runner = ToolRunner(registry)
    run = runtime.begin(WHO)
    run.next_turn()
    runtime.note("mcp.connected", {})
    for kind in ("tool.completed", "server.connected", "workflow.ended"):
        with pytest.raises(licet.errors.ConfigurationError):
            runtime.note(kind, {})
    asyncio.run(runtime.connect())
    runtime.withhold({})
    runtime.tools_for(WHO)
    runtime.hosted_for(WHO)
    assert asyncio.run(run.hosted(HostedItem("local/inline", "forged"))) is False
    asyncio.run(runtime.resolved_for(WHO))
    assert runtime.checks == ()
    for name in (*NAMES, "nowhere"):
        runtime.why(WHO, name)
        runtime.why(WHO, name, {})
        runtime.spec(name)
        registry.get(name)
        run.abort(name)
    runtime.functions_for(WHO)
    registry.describe(NAMES)
    registry.list_tools()
    runner.discover()
    runner.activate("inline")
    runner.deactivate("inline")
    asyncio.run(run.rollback())
    registry.remove("inline")
    registry.close()
    assert reached.by == []
    assert not [seen for seen in resolver.seen if seen[0] == "call"]
