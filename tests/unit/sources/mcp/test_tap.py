"""What is taken out of the stream of messages, and what goes no further."""

import asyncio
from typing import Any

import mcp_types as types
import pytest
from mcp.shared.message import SessionMessage

from licet.sources.mcp.errand import CURRENT, Errand
from licet.sources.mcp.frames import Junk
from licet.sources.mcp.limits import McpLimits
from licet.sources.mcp.tap import Tap


def request(id: Any, method: str = "tools/call", **params: Any) -> types.JSONRPCRequest:
    return types.JSONRPCRequest(jsonrpc="2.0", id=id, method=method, params=params)


def answer(id: Any, **result: Any) -> SessionMessage:
    return SessionMessage(types.JSONRPCResponse(jsonrpc="2.0", id=id, result=result))


def note(method: str, **params: Any) -> SessionMessage:
    return SessionMessage(types.JSONRPCNotification(jsonrpc="2.0", method=method, params=params))


@pytest.fixture
def tap() -> Tap:
    return Tap(McpLimits(), lambda: None)


def asked(tap: Tap, message: types.JSONRPCRequest, errand: Errand) -> None:
    token = CURRENT.set(errand)
    tap.sent(message)
    CURRENT.reset(token)


@pytest.mark.parametrize("method", ["tools/call", "tools/list"])
@pytest.mark.parametrize("id", [7, "7"])
def test_a_result_of_tools_is_taken_as_it_came_and_another_shown_in_its_place(tap: Tap, method: str, id: Any) -> None:
    errand = Errand("call")
    asked(tap, request(7, method), errand)
    came = answer(id, tools=["nonsense"], content=3, _meta=None)
    shown = tap.sift(came)
    assert errand.answer == {"tools": ["nonsense"], "content": 3, "_meta": None}
    assert errand.answered
    assert shown.message.result["tools"] == []
    assert tap.sift(answer(7)) is None, "a second answer went on"


def test_arguments_leave_as_they_were_given(tap: Tap) -> None:
    given = {"a": None, "n": 2**80}
    message = request(1, name="x", arguments={})
    asked(tap, message, Errand("call", given))
    assert message.params is not None
    assert message.params["arguments"] is given


def test_an_answer_that_nobody_waits_for_goes_no_further(tap: Tap) -> None:
    errand = Errand("call")
    asked(tap, request(1), errand)
    tap.withdrawn({"requestId": 1})
    assert tap.sift(answer(1)) is None
    assert tap.sift(answer(99)) is None
    assert errand.answer is None


@pytest.mark.parametrize(
    ("message", "goes_on"),
    [
        (note("notifications/tools/list_changed"), True),
        (note("notifications/cancelled", requestId="q"), True),
        (note("notifications/message", level="info", data="x"), False),
        (note("notifications/resources/list_changed"), False),
        (note("notifications/progress", progressToken=1, progress=1), True),
        (note("notifications/progress", progressToken=2, progress=1), False),
        (note("notifications/progress", progressToken=3, progress=1), False),
        (SessionMessage(request("q", "sampling/createMessage")), True),
    ],
)
def test_only_what_is_of_use_here_goes_on(tap: Tap, message: SessionMessage, goes_on: bool) -> None:
    asked(tap, request(1, _meta={"progressToken": 1}), Errand("call"))
    asked(tap, request(2), Errand("call"))
    assert (tap.sift(message) is message) == goes_on


def test_an_unusable_line_fails_the_request_that_it_answers(tap: Tap) -> None:
    errand, other = Errand("call"), Errand("call")
    asked(tap, request(1), errand)
    asked(tap, request(2), other)
    failed = tap.sift(Junk("an answer of a kind", reason="too_long", id="1"))
    assert failed.message.error.code == -32603
    assert errand.fault is not None
    assert errand.fault.reason == "too_long"
    assert other.fault is None
    assert tap.sift(Junk("no message")) is None


def test_a_line_that_is_too_long_and_has_no_id_fails_a_call_that_is_alone(tap: Tap) -> None:
    asked(tap, request("listen-1", "subscriptions/listen"), Errand("connect"))
    asked(tap, request(1), Errand("call"))
    assert tap.sift(Junk("it", reason="too_long")).message.id == "1"
    asked(tap, request(2), Errand("call"))
    asked(tap, request(3), Errand("call"))
    assert tap.sift(Junk("it", reason="too_long")) is None


async def test_what_nobody_asked_for_is_read_slowly_once_there_is_much_of_it() -> None:
    tap = Tap(McpLimits(junk=10), lambda: None)
    loop = asyncio.get_running_loop()
    began = loop.time()
    for _ in range(31):
        await tap.unasked(0)
    assert loop.time() - began > 0.15
