"""One run a session, names that mean one tool, and what is said on standard error."""

import logging
import shlex
from types import SimpleNamespace
from typing import Any

from licet import Principal, Runtime
from licet.gateway.clients import Clients
from licet.gateway.quiet import log_in_one_line
from licet.gateway.refusals import Refusals
from licet.gateway.strictly import readable
from licet.gateway.surface import Surface
from licet.model.principal import GrantSet
from licet.model.tool import ToolCapability
from licet.testing import RecordingLedger, fake_tool


def ctx(session_id: str | None, *, asks: bool = False) -> Any:
    elicitation = SimpleNamespace(form=None, url=None) if asks else None
    request = None if session_id is None else SimpleNamespace(headers={"mcp-session-id": session_id})
    return SimpleNamespace(
        request=request, session=SimpleNamespace(client_capabilities=SimpleNamespace(elicitation=elicitation))
    )


def surface(*tools: Any, grants: Any = None, told: list[str] | None = None, **more: Any) -> Surface:
    runtime = Runtime(tools, ledger=more.pop("ledger", None))
    granted = [tool.spec.name for tool in tools] if grants is None else grants
    said = [] if told is None else told
    return Surface(runtime, Principal("coder", grants=granted), tell=said.append, **more)


async def test_a_connection_keeps_its_run_and_no_other_has_it() -> None:
    clients = Clients(surface(fake_tool("look", read_only=True)[0]))
    one, two = (clients.session(ctx(id), modern=False) for id in ("a", "b"))
    assert clients.session(ctx("a"), modern=False) is one
    assert one.run.id != two.run.id
    assert clients.session(ctx(None), modern=False) not in (one, two)
    stateless = clients.session(ctx(None), modern=True)
    assert clients.session(ctx("a"), modern=True) is stateless
    assert clients.session(ctx(None, asks=True), modern=True) is not stateless


async def test_the_session_that_was_silent_longest_is_let_go_of() -> None:
    clients = Clients(surface(fake_tool("look", read_only=True)[0]), most=2)
    one, two = (clients.session(ctx(id), modern=False) for id in ("a", "b"))
    clients.session(ctx("a"), modern=False)
    clients.session(ctx("c"), modern=False)
    assert clients.session(ctx("a"), modern=False) is one
    assert clients.session(ctx("b"), modern=False) is not two
    assert len(list(clients.all())) == 2


async def test_sets_of_grants_expand_once_in_each_run(ledger: RecordingLedger) -> None:
    tool = fake_tool("mcp/git.git_log", read_only=True, source="mcp")[0]
    served = surface(tool, grants=[GrantSet.glob("mcp/git.*")], ledger=ledger)
    session = served.session()
    assert [shown["name"] for shown in session.tools()] == ["git__git_log"]
    assert ledger.kinds == ["grant.expanded"]


async def test_of_two_tools_with_one_name_the_later_is_not_served_and_that_is_said_once() -> None:
    tools = [fake_tool(name, read_only=True)[0] for name in ("a", "mcp/git.log")]
    told: list[str] = []
    served = surface(*tools, told=told, names={"local/a": "git__log"})
    sessions = [served.session(), served.session()]
    for session in sessions:
        assert [shown["name"] for shown in session.tools()] == ["git__log"]
        assert session.meant("git__log") == "local/a"
    (line,) = told
    assert line.startswith("licet: mcp/git.log is not served: ")


async def test_a_name_that_is_not_offered_is_never_the_granted_tool_that_it_spells() -> None:
    session = surface(fake_tool("look", read_only=True)[0], names={"local/look": "see"}).session()
    assert session.meant("see") == "local/look"
    assert session.meant("look") == "?look"
    assert session.meant("local/look") == "?local/look"
    assert session.meant("other") == "other"


async def test_a_tool_that_asks_is_shown_only_where_somebody_can_be_asked() -> None:
    asks = fake_tool("reset", capabilities=ToolCapability(read_only=True, human_approval_required=True))[0]
    served = surface(asks)
    approver = SimpleNamespace(name="x", approve=None)
    assert served.session().tools() == []
    assert [shown["name"] for shown in served.session(approver).tools()] == ["reset"]  # type: ignore[arg-type]


async def test_a_listing_is_told_to_have_changed_once() -> None:
    served = surface(fake_tool("look", read_only=True)[0], fake_tool("see", read_only=True)[0])
    session = served.session()
    assert not session.has_changed()  # it was shown nothing yet
    session.tools()
    assert not session.has_changed()
    served.runtime.remove("look")
    assert session.has_changed()
    assert not session.has_changed()


# --- on standard error ---


async def refused(name: str, arguments: Any, *options: str) -> list[str]:
    lines: list[str] = []
    tool = fake_tool("mcp/git.git_log", read_only=True, input_schema={"type": "object", "maxProperties": 0})[0]
    with Runtime([tool]) as runtime:
        run = runtime.begin(Principal("coder", grants=["mcp/git.git_log"]))
        result = await run.call(name, arguments)
        Refusals(lines.append, options, ("--ledger", "/s/a b")).told(result, run.id, arguments)
    (line,) = lines
    return shlex.split(line.rpartition("explained by: ")[2])


async def test_the_line_ends_in_a_command_for_a_shell() -> None:
    config = ("--agent", "coder", "--config", "/p q/licet.yaml")
    assert await refused("mcp/git.git_push", {}, *config) == ["licet", "why", "mcp/git.git_push", *config]
    bad = {"a": "it's; rm -rf /"}
    shown = await refused("mcp/git.git_log", bad, *config)
    assert shown == ["licet", "why", "mcp/git.git_log", '{"a":"it\'s; rm -rf /"}', *config]


async def test_arguments_that_may_be_secret_or_are_long_are_left_out() -> None:
    for arguments in ({"api_key": "s3cret"}, {"a": "x" * 500}, {"a": "\u202e"}, {"a": float}):
        words = await refused("mcp/git.git_log", arguments, "--agent", "coder")
        assert words == ["licet", "why", "mcp/git.git_log", "--agent", "coder"]


async def test_where_no_file_is_or_no_name_the_run_on_the_ledger_is_explained() -> None:
    words = await refused("mcp/git.git_push", {})
    assert (words[:3], words[4:]) == (["licet", "why", "--refused"], ["--ledger", "/s/a b"])
    words = await refused("; rm -rf /", {}, "--agent", "coder")
    assert words[:3] == ["licet", "why", "--refused"]


def test_what_libraries_log_is_one_line_without_a_traceback() -> None:
    lines: list[str] = []
    names = ("mcp", "licet")
    before = {name: (logging.getLogger(name).handlers[:], logging.getLogger(name).propagate) for name in names}
    try:
        log_in_one_line(lines.append)
        try:
            raise ValueError("inner")
        except ValueError:
            logging.getLogger("mcp.server.x").exception("it failed\nbadly \x1b[31m")
        logging.getLogger("mcp.server.x").info("not told")
    finally:
        for name, (handlers, propagate) in before.items():
            logger = logging.getLogger(name)
            logger.handlers[:], logger.propagate = handlers, propagate
            logger.setLevel(logging.NOTSET)
    assert lines == ["licet: mcp.server.x: it failed\\u000abadly \\u001b\\u005b31m (ValueError)"]


def test_only_arguments_that_are_no_strict_json_are_replaced() -> None:
    fine = b'{"method":"tools/call","params":{"name":"x","arguments":{"a":1}}}'
    assert readable(fine) is fine
    for bad in (b'{"a":1,"a":2}', b'{"a":NaN}', b'{"a":123456789012345678901234567890}'):
        told = readable(b'{"method":"tools/call","params":{"name":"x","arguments":' + bad + b"}}")
        assert b'"arguments": "not JSON: ' in told
    for other in (b"{", b'{"method":"ping","method":"x"}', b"[1,1", b'{"method":"tools/call","params":[],"x":1,"x":2}'):
        assert readable(other) == other
