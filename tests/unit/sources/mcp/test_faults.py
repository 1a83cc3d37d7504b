"""What is said when a server fails: its name, the reason, what instead, and no secret."""

import asyncio

import anyio
import pytest
from mcp import MCPError
from pydantic import BaseModel, ValidationError

from licet.errors import ServerUnavailableError, ToolFailedError, TransportError
from licet.model.server import ServerSpec
from licet.sources.mcp.errand import Errand, Fault
from licet.sources.mcp.faults import Faults
from licet.sources.mcp.limits import McpLimits

STDIO = ServerSpec(id="git", command="git-server", env={"TOKEN": "hunter2-hunter2", "SHORT": "on"})
HTTP = ServerSpec(id="web", url="http://127.0.0.1:9/mcp?key=in-the-url", headers={"Authorization": "Bearer abc-secret"})


class _Model(BaseModel):
    n: int


def invalid() -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        _Model(n="hunter2-hunter2")  # type: ignore[arg-type]
    return caught.value


def errand(*, sent: bool = True, answered: bool = False, fault: Fault | None = None) -> Errand:
    one = Errand("call", {})
    one.sent, one.answered, one.fault = sent, answered, fault
    return one


RAISED = [
    MCPError(-32000, "Connection closed"),
    MCPError(-32001, "timed out"),
    RuntimeError("hunter2-hunter2"),
    OSError(5, "hunter2-hunter2"),
    anyio.ClosedResourceError(),
    anyio.BrokenResourceError(),
    TimeoutError(),
    asyncio.CancelledError(),
    ExceptionGroup("all", [ExceptionGroup("some", [RuntimeError("hunter2-hunter2")])]),
    BaseExceptionGroup("all", [asyncio.CancelledError(), OSError("x")]),
    invalid(),
]


@pytest.mark.parametrize("raised", RAISED, ids=lambda raised: type(raised).__name__)
def test_whatever_is_raised_before_anything_was_sent_means_that_nothing_happened(raised: BaseException) -> None:
    error = Faults(STDIO, McpLimits()).of_call(raised, errand(sent=False), "status")
    assert isinstance(error, ServerUnavailableError)
    assert error.tool_name == "mcp/git.status"
    assert "mcp/git" in str(error)
    assert "hunter2" not in str(error)


@pytest.mark.parametrize("raised", RAISED, ids=lambda raised: type(raised).__name__)
def test_whatever_is_raised_after_it_was_sent_leaves_the_effect_unknown(raised: BaseException) -> None:
    error = Faults(STDIO, McpLimits()).of_call(raised, errand(), "status")
    assert isinstance(error, TransportError)
    assert error.reason
    assert "unknown" in str(error)
    assert "hunter2" not in str(error)


@pytest.mark.parametrize("raised", RAISED, ids=lambda raised: type(raised).__name__)
def test_whatever_ends_a_connection_or_a_listing_is_an_unavailable_server(raised: BaseException) -> None:
    faults = Faults(STDIO, McpLimits())
    for fault in (faults.of_connecting(raised, errand()), None):
        error = faults.of_listing(raised, errand()) if fault is None else faults.unavailable(fault)
        assert isinstance(error, ServerUnavailableError)
        assert error.reason
        assert "hunter2" not in str(error)


def test_an_error_that_the_server_sent_is_its_own_and_bounded() -> None:
    raised = MCPError(-32000, "token hunter2-hunter2 \x1b[2J\u202e" + "x" * 100_000)
    error = Faults(STDIO, McpLimits()).of_call(raised, errand(answered=True), "status")
    assert type(error) is ToolFailedError
    assert error.reason == "rpc_error"
    assert "hunter2" not in str(error)
    assert "\x1b" not in str(error)
    assert "\u202e" not in str(error)
    assert len(str(error)) < 800


def test_a_server_cannot_say_that_nothing_was_sent() -> None:
    raised = MCPError(-32000, "closed", {"unsent": True, "reason": "closed"})
    assert not isinstance(Faults(HTTP, McpLimits()).of_call(raised, errand(answered=True), "x"), ServerUnavailableError)


def test_what_the_transport_saw_is_said_before_what_the_sdk_made_of_it() -> None:
    seen = Fault("unauthorized", "it answered with status 401")
    raised = MCPError(-32603, "Server returned an error response")
    error = Faults(HTTP, McpLimits()).of_call(raised, errand(answered=True, fault=seen), "x")
    assert (type(error), error.reason) == (TransportError, "unauthorized")
    unsent = Fault("closed", "it could not be reached", unsent=True)
    assert isinstance(Faults(HTTP, McpLimits()).of_call(raised, errand(fault=unsent), "x"), ServerUnavailableError)


def test_of_a_url_the_origin_is_shown_and_of_a_header_no_part() -> None:
    text = str(Faults(HTTP, McpLimits()).unavailable(Fault("closed", "it could not be reached")))
    assert "http://127.0.0.1:9" in text
    assert "in-the-url" not in text
    assert Faults(HTTP, McpLimits()).shown("abc-secret Bearer abc-secret") == "*** ***"


def test_a_secret_is_found_where_the_end_of_a_long_text_is_shown() -> None:
    for padding in range(480, 520):
        shown = Faults(STDIO, McpLimits()).last("y" * 1000 + "hunter2-hunter2" + "z" * padding)
        assert "hunter" not in shown
        assert "ter2" not in shown


def test_every_reason_is_told_with_what_to_do_instead() -> None:
    for reason in ("spawn_failed", "exited", "no_answer", "redirected", "something_new"):
        assert "; " in str(Faults(STDIO, McpLimits()).unavailable(Fault(reason, "it failed")))
