"""The entry of a refusal, where names and words were seen before: nothing is taken over that may not be."""

from typing import Any

import orjson
import pytest

from licet import Principal, Runtime
from licet.ledger.memory import MemoryLedger

NOBODY = Principal("nobody")


def told(ledger: MemoryLedger) -> dict[str, Any]:
    """The body of the last entry."""
    body: dict[str, Any] = orjson.loads(list(ledger.entries())[-1].body)
    return body


@pytest.mark.parametrize(
    "arguments",
    [
        {"token": "hunter2"},
        {"plain": {"token": "hunter2"}},
        {"plain": [{"token": "hunter2"}]},
        {"plain": "{", "token": "hunter2"},
        '{"plain": 1, "Token": "hunter2"}',
    ],
)
async def test_a_secret_under_names_that_were_plain_before_is_sealed(arguments: Any) -> None:
    ledger = MemoryLedger()
    runtime = Runtime(ledger=ledger)
    for _ in range(2):
        await runtime.call(NOBODY, "remove", {"plain": "hunter1"})
        assert told(ledger)["arguments"] == {"plain": "hunter1"}
        await runtime.call(NOBODY, "remove", arguments)
        assert b"hunter2" not in list(ledger.entries())[-1].body
        assert b"hmac-sha256:" in list(ledger.entries())[-1].body


async def test_plain_names_that_were_seen_before_do_not_lift_the_limit() -> None:
    ledger = MemoryLedger()
    runtime = Runtime(ledger=ledger)
    await runtime.call(NOBODY, "remove", {"plain": "short"})
    await runtime.call(NOBODY, "remove", {"plain": "x" * 10_000})
    assert told(ledger)["arguments"]["truncated"]["bytes"] == 10_012


async def test_each_refusal_says_its_own_tool_holder_and_call() -> None:
    ledger = MemoryLedger()
    runtime = Runtime(ledger=ledger)
    for holder in ("one", "other"):
        for tool in ("read", "mcp/git.read"):
            result = await runtime.call(Principal(holder), tool, {})
            canonical = tool if "/" in tool else f"local/{tool}"
            message = f"{holder!r} holds no grant for {tool!r}"
            expected = {"arguments": {}, "call": result.call_id, "code": "not_granted", "message": message}
            assert told(ledger) == {**expected, "tool": canonical}
            assert (result.error, result.metadata) == (
                message,
                {"remedy": f"grant it by its exact name: grants=[{tool!r}]"},
            )


async def test_a_refused_reuse_names_the_call_that_it_was_asked_under() -> None:
    ledger = MemoryLedger()
    runtime = Runtime(ledger=ledger)
    await runtime.call(NOBODY, "read", {"a": 1}, call_id="c1")
    result = await runtime.call(NOBODY, "read", {"a": 2}, call_id="c1")
    body = told(ledger)
    assert (result.code, body["code"], body["named"]) == ("call_id_reused", "call_id_reused", "c1")
    assert body["call"] != "c1"
    assert list(body) == sorted(body)
