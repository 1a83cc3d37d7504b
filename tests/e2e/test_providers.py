"""Each provider's own SDK against a server on 127.0.0.1 that speaks its wire: answers, errors, what becomes of them."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from licet.errors import ProviderError
from licet.model.json_object import JsonObject
from licet.model.tool import ModelTool
from licet.ports import Message
from loopback import Broken, Call, Cut, Hang, Loopback, Reply, Said, Status
from loopback.models import KEY, PROVIDERS, Provider, alone, patient

READ = ModelTool(
    "local/read",
    "Read a file.",
    JsonObject({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),
)
TALK = [Message("system", "Be brief."), Message("user", "Look around.")]
TWO_CALLS = (Call("read", '{"path": "a"}'), Call("read", '{"path": "b"}'))


@pytest.fixture(params=PROVIDERS, ids=lambda one: one.name)
def provider(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Provider:
    alone(monkeypatch)
    found: Provider = request.param
    return found


class Heard:
    def __init__(self) -> None:
        self.told: list[str] = []

    def piece(self, text: str, /) -> None:
        self.told.append(text)

    def void(self) -> None:
        self.told.append("VOID")


@asynccontextmanager
async def talking(provider: Provider, *replies: Reply, **given: Any) -> AsyncIterator[tuple[Loopback, Any]]:
    with Loopback(provider.wire, *replies) as server:
        model = provider.model(server.url, **given)
        try:
            yield server, model
        finally:
            await model.close()


# --- whole answers ---


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_an_answer_is_words_and_calls_in_their_order(provider: Provider, streamed: bool) -> None:
    heard = Heard()
    given = {"listener": heard} if streamed else {}
    async with talking(provider, Said("I shall look.", TWO_CALLS), **given) as (server, model):
        said = await model.respond(TALK, [READ])
    assert (said.role, said.text, said.ended) == ("assistant", "I shall look.", "calls")
    assert [call.tool for call in said.calls] == ["local/read"] * 2
    assert ['"a"' in str(call.arguments).replace("'", '"') for call in said.calls] == [True, False]
    assert said.usage == (11, 7)
    assert "".join(heard.told) == ("I shall look." if streamed else "")
    (asked,) = server.asked
    provider.accepts(asked.body)
    assert "Be brief." in str(asked.body)
    assert provider.wire.streams(asked) == streamed


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_words_alone_are_an_answer(provider: Provider, streamed: bool) -> None:
    given = {"listener": Heard()} if streamed else {}
    async with talking(provider, Said("Nothing to do."), **given) as (server, model):
        said = await model.respond(TALK, [])
    assert (said.text, said.calls, said.ended) == ("Nothing to do.", (), "done")
    assert "tools" not in server.asked[0].body, "an empty list is one that some providers refuse"


REFUSED = {
    "openai_chat": Said("", end="content_filter"),
    "openai_responses": Said("I will not.", end="refusal"),
    "anthropic": Said("I will not.", end="refusal"),
    "google": Said("", end="SAFETY"),
    "bedrock": Said("I will not.", end="guardrail_intervened"),
}
CUT_SHORT = {
    "openai_chat": "length",
    "openai_responses": "max_output_tokens",
    "anthropic": "max_tokens",
    "google": "MAX_TOKENS",
    "bedrock": "max_tokens",
}


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_a_refusal_and_an_answer_that_was_cut_at_its_limit_say_so(provider: Provider, streamed: bool) -> None:
    given = {"listener": Heard()} if streamed else {}
    replies = REFUSED[provider.name], Said("It was a dark and", end=CUT_SHORT[provider.name])
    async with talking(provider, *replies, **given) as (_, model):
        refused = await model.respond(TALK, [READ])
        short = await model.respond(TALK, [READ])
    assert (refused.ended, refused.calls) == ("refused", ())
    assert (short.ended, short.text) == ("length", "It was a dark and")


# --- errors ---


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_a_provider_that_asks_to_wait_is_asked_again_when_it_said(provider: Provider, streamed: bool) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    given = {"listener": Heard()} if streamed else {}
    busy = Status(429, {"retry-after": "3"}, "ThrottlingException"), Status(503, {"retry-after-ms": "250"})
    async with talking(provider, *busy, Said("Yes."), patience=patient(sleep=sleep), **given) as (server, model):
        said = await model.respond(TALK, [READ])
    assert said.text == "Yes."
    assert slept == [3.0, 0.25]
    assert len(server.asked) == 3
    assert server.asked[0].body == server.asked[2].body


async def test_a_provider_that_lets_nothing_through_for_a_minute_is_a_typed_end(provider: Provider) -> None:
    now = [0.0]

    async def sleep(seconds: float) -> None:
        now[0] += seconds

    patience = patient(sleep=sleep, now_s=lambda: now[0], attempts=1_000)
    async with talking(provider, Status(429), patience=patience) as (server, model):
        with pytest.raises(ProviderError) as raised:
            await model.respond(TALK, [READ])
    assert raised.value.reason == "rate_limited"
    assert raised.value.code == "provider_failed"
    assert 50 < now[0] <= 60, "it waited no longer than a minute"
    assert len(server.asked) == 11, "0.5, 1, 2, 4 and then 8 seconds apart"


async def test_a_wait_that_is_longer_than_the_patience_is_not_begun(provider: Provider) -> None:
    async with talking(provider, Status(429, {"retry-after": "3600"})) as (server, model):
        with pytest.raises(ProviderError, match="HTTP 429"):
            await model.respond(TALK, [READ])
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("status", "reason", "asked"),
    [
        (Status(400, {}, "invalid_request_error"), "bad_request", 1),
        (Status(401), "unauthorized", 1),
        (Status(403), "unauthorized", 1),
        (Status(404), "bad_request", 1),
        (Status(409), "bad_request", 10),
        (Status(500), "overloaded", 10),
        (Status(529), "overloaded", 10),
    ],
    ids=lambda one: str(one.code) if isinstance(one, Status) else "",
)
async def test_what_a_status_means(provider: Provider, status: Status, reason: str, asked: int) -> None:
    async with talking(provider, status) as (server, model):
        with pytest.raises(ProviderError) as raised:
            await model.respond(TALK, [READ])
    assert raised.value.reason == reason
    assert len(server.asked) == asked, "the SDK itself asks once"


async def test_a_provider_that_says_not_to_ask_again_is_not(provider: Provider) -> None:
    async with talking(provider, Status(500, {"x-should-retry": "false"})) as (server, model):
        with pytest.raises(ProviderError, match="HTTP 500"):
            await model.respond(TALK, [READ])
    assert len(server.asked) == 1


async def test_no_server_is_a_typed_end(provider: Provider) -> None:
    with Loopback(provider.wire, Said("x")) as server:
        url = server.url
    model = provider.model(url, patience=patient(attempts=2))
    with pytest.raises(ProviderError) as raised:
        await model.respond(TALK, [READ])
    await model.close()
    assert raised.value.reason == "unreachable"


async def test_no_answer_in_time_is_a_typed_end(provider: Provider) -> None:
    async with talking(provider, Hang(), timeout_s=1.0, patience=patient(attempts=2)) as (server, model):
        with pytest.raises(ProviderError) as raised:
            await model.respond(TALK, [READ])
    assert raised.value.reason == "unreachable"
    assert len(server.asked) == 2


@pytest.mark.parametrize("cleanly", [False, True], ids=["dropped", "cleanly"])
async def test_a_stream_that_was_cut_is_asked_for_again_and_nothing_of_it_counts(
    provider: Provider, cleanly: bool
) -> None:
    heard = Heard()
    cut = Cut(Said("I shall look.", TWO_CALLS), 4, cleanly)
    async with talking(provider, cut, Said("Whole."), listener=heard) as (server, model):
        said = await model.respond(TALK, [READ])
    assert (said.text, said.calls) == ("Whole.", ())
    assert heard.told[heard.told.index("VOID") + 1 :] == ["Who", "le."]
    assert len(server.asked) == 2


async def test_a_stream_that_is_always_cut_is_a_typed_end(provider: Provider) -> None:
    async with talking(provider, Cut(Said("I shall look.", TWO_CALLS), 3), listener=Heard()) as (server, model):
        with pytest.raises(ProviderError) as raised:
            await model.respond(TALK, [READ])
    assert raised.value.reason == "cut"
    assert len(server.asked) == 3


async def test_a_whole_answer_that_breaks_off_is_asked_for_again(provider: Provider) -> None:
    async with talking(provider, Cut(Said("I shall look.", TWO_CALLS)), Said("Whole.")) as (server, model):
        said = await model.respond(TALK, [READ])
    assert said.text == "Whole."
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    "body", [b"<html>no</html>", b"[]", b"{}", b'{"choices": 7, "output": 7, "content": 7, "candidates": 7}', b"null"]
)
async def test_what_is_no_answer_is_a_typed_end(provider: Provider, body: bytes) -> None:
    async with talking(provider, Broken(body), patience=patient(attempts=2)) as (_, model):
        with pytest.raises(ProviderError) as raised:
            await model.respond(TALK, [READ])
    assert raised.value.reason == "cut"


# --- what broken answers cost ---

SAID_EARLY = {"anthropic": (11, 1), "google": (11, 7)}
"""What a stream says of its tokens before its end; the others say it at the end alone."""
NO_END = {
    "openai_chat": ("choices", []),
    "openai_responses": ("status", "failed"),
    "anthropic": ("content", 7),
    "google": ("candidates", []),
    "bedrock": ("stopReason", ""),
}
"""What makes no answer of one."""


async def test_what_a_cut_stream_used_is_told_as_far_as_the_provider_said_it(provider: Provider) -> None:
    cut = Cut(Said("I shall look.", TWO_CALLS), 4)
    async with talking(provider, cut, cut, Said("Whole."), listener=Heard()) as (_, model):
        said = await model.respond(TALK, [READ])
    early = SAID_EARLY.get(provider.name, (0, 0))
    assert said.lost == (2 * early[0], 2 * early[1])
    assert said.usage == (11, 7), "the whole one alone"
    async with talking(provider, cut, listener=Heard()) as (_, model):
        with pytest.raises(ProviderError) as raised:
            await model.respond(TALK, [READ])
    assert raised.value.tokens == (3 * early[0], 3 * early[1])


async def test_what_a_broken_answer_used_is_told(provider: Provider) -> None:
    name, value = NO_END[provider.name]
    whole = json.loads(provider.wire.whole(Said("I shall look.", TWO_CALLS)))
    broken = Broken(json.dumps({**whole, name: value}).encode())
    async with talking(provider, broken, Said("Whole.")) as (server, model):
        said = await model.respond(TALK, [READ])
        assert len(server.asked) == 2
        assert (said.lost, said.usage) == ((11, 7), (11, 7))
        server.replies = [broken]
        with pytest.raises(ProviderError) as raised:
            await model.respond(TALK, [READ])
    assert raised.value.reason == "cut"
    assert raised.value.tokens == (33, 21)


# --- keys ---


async def test_a_key_goes_to_no_other_place_and_stands_in_no_error(provider: Provider) -> None:
    with Loopback(provider.wire, Said("stolen")) as other:
        moved = Broken(b"{}", 307, {"location": f"{other.url}/v1/chat/completions"})
        async with talking(provider, moved) as (server, model):
            with pytest.raises(ProviderError, match="redirects"):
                await model.respond(TALK, [READ])
        assert other.asked == []
    echo = Status(400, {}, "invalid_request_error", f"the key {KEY} is\x1b[31m wrong")
    refused = Status(401, {}, "authentication_error", f"Incorrect API key provided: {KEY}")
    async with talking(provider, echo, refused) as (server, model):
        for _ in range(2):
            with pytest.raises(ProviderError) as raised:
                await model.respond(TALK, [READ])
            error = raised.value
            assert KEY not in f"{error} {error!r}"
            assert "\x1b" not in str(error)
            assert error.__cause__ is None
            assert error.__context__ is None, "what an SDK raises holds its request, and with it the key"
        assert KEY not in repr(model) + repr(vars(model)) + repr(vars(model._wire))
        assert KEY in str(server.asked[0].headers), "the control: the key is what it goes with"


# --- cancellation ---


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_asking_can_be_cancelled_at_once(provider: Provider, streamed: bool) -> None:
    given = {"listener": Heard()} if streamed else {}
    async with talking(provider, Hang(Said("I shall look.", TWO_CALLS)), **given) as (server, model):
        asking = asyncio.create_task(model.respond(TALK, [READ]))
        await asyncio.to_thread(server.begun.wait, 10)
        began = time.monotonic()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert time.monotonic() - began < 5
