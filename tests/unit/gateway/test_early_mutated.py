"""Openings with seeded faults: early and then by the SDK, or by the SDK alone, a client is answered the same."""

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest
from spoken import DECLARED, INITIALIZED, META, envelope, heard, hello, request

from licet.gateway.early import HANDSHAKE_VERSIONS

CASES = 150
VALUES = (None, True, 0, -1, 1.5, 2**63, "", "x", "2026-07-28", [], {}, {"a": 1}, {"form": {}}, {"listChanged": True})
KEYS = (
    *("id", "method", "jsonrpc", "params", "_meta", "cursor", "progressToken"),
    *("protocolVersion", "capabilities", "clientInfo", "name", "version", "title", "icons"),
    *("elicitation", "roots", "sampling", "tasks", "extensions", "form", "url", "listChanged"),
    *(META + part for part in ("protocolVersion", "clientInfo", "clientCapabilities", "logLevel")),
)


def objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for part in value.values():
            yield from objects(part)


def mutated(chance: random.Random, message: dict[str, Any]) -> dict[str, Any]:
    message = copy.deepcopy(message)
    for _ in range(chance.choice((1, 1, 2))):
        part = chance.choice(list(objects(message)))
        key = chance.choice([*part, chance.choice(KEYS)])
        if chance.random() < 0.3:
            part.pop(key, None)
        else:
            part[key] = copy.deepcopy(chance.choice(VALUES))
    return message


def opening(chance: random.Random) -> list[dict[str, Any]]:
    meta = envelope(capabilities=chance.choice(DECLARED))
    shaken = hello(chance.choice(HANDSHAKE_VERSIONS), chance.choice(DECLARED))
    listing = request(2, "tools/list")
    handshake = [shaken, INITIALIZED, request("a", "ping"), listing, {**listing, "id": "2"}]
    stateless = [request(1, "server/discover", _meta=meta), request(2, "tools/list", _meta=meta)]
    said = [
        mutated(chance, one) if chance.random() < 0.3 else one
        for one in chance.choice((handshake, handshake, stateless))
    ]
    if chance.random() < 0.3:
        chance.shuffle(said)
    return [*said, chance.choice(said)] if chance.random() < 0.3 else said


@pytest.mark.parametrize("seed", range(2))
async def test_no_opening_is_answered_otherwise_than_by_the_sdk(seed: int) -> None:
    chance, answered = random.Random(seed), 0
    for _ in range(CASES):
        said = opening(chance)
        early, late = await heard(*said, early=True), await heard(*said, early=False)
        assert (early.answers, early.kinds, early.sessions) == (late.answers, late.kinds, late.sessions), said
        answered += early.early
    assert answered > CASES  # or nothing was compared
