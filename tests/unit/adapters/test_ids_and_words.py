"""Ids of a framework on the ledger, its yes as an approver, and what is said where it is not installed."""

import re
from typing import Any

import pytest

from licet.adapters.call_id import MOST_ID, Ids, own_id
from licet.adapters.extra import need
from licet.adapters.word import MOST_PENDING, Word
from licet.errors import ConfigurationError
from licet.ports import ApprovalRequest
from licet.runtime.receive import is_minted

LEGAL = re.compile(r"[A-Za-z0-9_.:-]{1,128}")
RUN = "r0123456789abcdef-1"


def test_an_id_is_spelt_as_the_framework_spelt_it_where_that_can_be() -> None:
    assert own_id(RUN, "call_1") == f"{RUN}:call_1"
    assert own_id(RUN, "call_1", "thread-1") == f"{RUN}:thread-1:call_1"


@pytest.mark.parametrize("said", ["", "a b", "a:b", "é", "\0", "\ud800", "x" * 200, "sha256:" + "0" * 32, "../x", "٣"])
@pytest.mark.parametrize("scope", ["", "t", "t:u", "t" * 120, "ü", "\ud800"])
def test_whatever_a_framework_says_is_an_id_of_the_ledger_and_of_no_other_call(said: str, scope: str) -> None:
    made = own_id(RUN, said, scope)
    assert LEGAL.fullmatch(made)
    assert len(made) <= MOST_ID
    assert not is_minted(made)
    assert made == own_id(RUN, said, scope)


def test_no_two_calls_share_an_id() -> None:
    texts = ["", "a", "b", "a:b", "b:", ":a", "1:a", "a1", "A", "a b", "\0", "\ud800", "x" * 300]
    made = {own_id(RUN, said, scope) for said in texts for scope in texts}
    assert len(made) == len(texts) ** 2


def test_the_ids_of_a_run_are_the_same_whichever_conversation_was_the_latest() -> None:
    ids = Ids(RUN)
    texts = ["", "a", "b", "a:b", "é", "x" * 100, "x" * 300, "call_1"]
    for scope in (*texts, *reversed(texts)):
        for said in texts:
            assert ids.own(said, scope) == own_id(RUN, said, scope)


def request(call_id: str) -> ApprovalRequest:
    return ApprovalRequest(call_id, "r", "alice", "read_only", "t", "pin", "", "{}", ("why",), 1.0)


async def test_a_yes_is_used_once_and_only_while_its_call_is_made() -> None:
    word = Word("framework")
    assert not await word.approve(request("c"))
    word.ask("c", {"n": 1})
    with word.given("c", '{"n":1}'):
        assert not await word.approve(request("d"))
        assert await word.approve(request("c"))
        assert not await word.approve(request("c"))
    with word.given("c", {"n": 1}):
        pass
    assert not await word.approve(request("c"))


@pytest.mark.parametrize("later", [{"n": 2}, {"n": True}, {"n": 1.5}, {}, '{"n":', '{"n":1,"n":1}'])
async def test_a_yes_to_other_arguments_is_none(later: Any) -> None:
    word = Word("framework")
    word.ask("c", {"n": 1})
    with word.given("c", later):
        assert not await word.approve(request("c"))


async def test_questions_that_nobody_answers_are_forgotten_in_the_end() -> None:
    word = Word("framework")
    for number in range(MOST_PENDING + 5):
        word.ask(f"c{number}", {"n": number})
    with word.given("c0", {"n": "other"}):
        assert await word.approve(request("c0"))
    with word.given(f"c{MOST_PENDING}", {"n": "other"}):
        assert not await word.approve(request(f"c{MOST_PENDING}"))


def test_a_framework_that_is_not_installed_is_named_with_the_extra_that_brings_it() -> None:
    with pytest.raises(ConfigurationError, match=re.escape("run: pip install 'licet[pydantic-ai]'")):
        need("licet_has_no_such_framework", "pydantic-ai")
