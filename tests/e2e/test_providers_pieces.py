"""Calls whose pieces come out of order, over each SDK that streams them in pieces."""

import random
from collections import Counter
from collections.abc import Callable

import pytest

from licet.errors import ProviderError
from licet.testing import RecordingLedger
from loopback import Call, Mixed, Said
from loopback.models import PROVIDERS, Provider, alone
from loopback.scene import reading, scene

MIXABLE = [one for one in PROVIDERS if one.name != "google"]
"""Wires that send a call in pieces; Gemini's parts are whole."""
A, B, AGAIN = {"path": "a"}, {"path": "b"}, {"path": "again"}


def swapped(place: int) -> Callable[[list[bytes]], list[bytes]]:
    """Two pieces beside each other change places."""

    def order(pieces: list[bytes]) -> list[bytes]:
        return [*pieces[:place], *reversed(pieces[place : place + 2]), *pieces[place + 2 :]]

    return order


def shuffled(seed: int) -> Callable[[list[bytes]], list[bytes]]:
    return lambda pieces: random.Random(seed).sample(pieces, len(pieces))


@pytest.mark.parametrize("mixed", MIXABLE, ids=lambda one: one.name)
async def test_a_call_whose_pieces_come_out_of_order_is_right_or_refused_or_asked_for_again(
    mixed: Provider, ledger: RecordingLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone(monkeypatch)
    tool, transport = reading()
    whole = Said("Both.", (Call("read", '{"path": "a"}', "c1"), Call("read", '{"path": "b"}', "c2")))
    again = Said("", (Call("read", '{"path": "again"}', "c3"),))
    orders = [*map(swapped, range(len(mixed.wire.pieces(whole)) - 1)), *map(shuffled, range(8))]
    seen: Counter[str] = Counter()
    async with scene(mixed, ledger, tool, whole, streamed=True) as (at, _):
        for order in orders:
            at.kept, at.server.replies = [], [Mixed(whole, order), again, Said("Done.")]
            transport.calls.clear()
            outcome = await at.go()
            assert outcome.stop == "done"
            results = [result for message in at.kept for result in message.results]
            assert [result.output for result in results if result.success] == [
                {"text": call["path"]} for call in transport.calls
            ]
            assert all(result.effect == "none" for result in results if not result.success)
            assert all(call in (A, B) for call in transport.calls[:-1]), "nothing ran that was not whole"
            assert transport.calls[-1] == AGAIN
            if all(result.success for result in results):
                assert [call.call_id for message in at.kept for call in message.calls] in (["c1", "c2", "c3"], ["c3"])
                seen["right" if len(results) == 3 else "asked for again"] += 1
            else:
                seen["refused"] += 1
        at.accepted()
    assert seen["asked for again"] > 3, "orders that cannot be are seen to be none"
    assert seen["right"] + seen["refused"] + seen["asked for again"] == len(orders)


@pytest.mark.parametrize("mixed", MIXABLE, ids=lambda one: one.name)
async def test_pieces_that_never_come_in_order_are_a_typed_end(
    mixed: Provider, ledger: RecordingLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone(monkeypatch)
    tool, transport = reading()
    whole = Said("Now.", (Call("read", '{"path": "a"}'),))
    backwards = Mixed(whole, lambda pieces: [pieces[0], *reversed(pieces[1:])])
    async with scene(mixed, ledger, tool, backwards, streamed=True) as (at, _):
        with pytest.raises(ProviderError) as raised:
            await at.go()
        assert len(at.server.asked) == 3
    assert raised.value.reason == "cut"
    assert transport.calls == []
    assert "tool.requested" not in ledger.kinds
