"""Sizes and words that outlive a release: to change one is a decision. And calls told without a parser."""

import pytest

from licet.ledger import call, checkpoint, committer, file, keys, memory, redact, run, table, writer
from licet.ledger.call import call_of
from licet.ledger.verify import _says


def test_limits_of_the_ledger_are_these() -> None:
    assert (committer.LIMIT_ITEMS, committer.LIMIT_BYTES, committer.BATCH_ITEMS) == (8192, 67_108_864, 256)
    assert (checkpoint.VERSION, checkpoint.MAX_BYTES, keys.MAX_PEM_BYTES) == (1, 4096, 65_536)
    assert checkpoint._MOST == 9_223_372_036_854_775_807
    assert (file.FOLDING_MS, file.ROOM_BYTES, writer.ROOM_AFTER) == (200, 4_096_000, 64)
    assert (writer._ROWS_AT_ONCE, memory._LINKED_AT_ONCE) == (64, 256)
    assert (redact.MOST_SECRETS, redact.MOST_OBJECTS, redact.MOST_MEMBERS) == (2000, 10_000, 25_000)
    assert (redact.START_BYTES, redact._LONG_BYTES) == (4096, 65_536)
    assert table.FORMAT == 1


def test_words_on_the_ledger_are_these() -> None:
    assert call.REQUESTED == "tool.requested"
    assert {"tool.refused", "tool.denied"} == call.REFUSED
    assert {"tool.failed", "tool.abandoned"} == call.FAILED
    assert call.REFUSED | call.FAILED | {"tool.completed", "tool.settled"} == call.CLOSES
    assert (run.AT_US, run.ROLLBACK_BEGUN, run.ROLLED_BACK) == ("at_us", "run.rollback_begun", "run.rolled_back")


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ('{"call":"c1","tool":"t"}', "c1"),
        ('{"call":"","tool":"t"}', ""),
        ('{"call":"\\u0041b","tool":"t"}', "Ab"),
        ('{"call":"a\\"b","tool":"t"}', 'a"b'),
        ('{"arguments":{"call":"x"},"call":"c2"}', "c2"),
        ('{"arguments":{"a":1},"call":"c3","tool":"local/x"}', "c3"),
        ('{"arguments":{},"call":"\\u0041b","tool":"local/x"}', "Ab"),
        ('{"arguments":{},"call":"c4","tool":"local/\\""}', "c4"),
        ('{"arguments":{},"call":"c5","tool":"local/x","z":""}', "c5"),
        ('{"arguments":{"a":1,"call":"c6","tool":"local/x"}}', None),
        ('{"arguments":",\\"call\\":","tool":"local/x"}', None),
        ('{"call":7}', None),
        ('{"call":"c1', None),
        ("[]", None),
    ],
)
def test_the_call_of_an_entry_is_what_its_body_says_to_a_parser(body: str, named: str | None) -> None:
    assert call_of("tool.requested", body) == named
    assert call_of("run.started", body) is None


@pytest.mark.parametrize(
    ("body", "plainly"),
    [
        (b'{"arguments":{"a":1},"call":"c1","tool":"local/x"}', True),
        (b'{"arguments":{"a":1},"call":"c1","tool":"local/x\\"}', False),
        (b'{"arguments":{"a":1},"call":"c1","tool":"local/x","z":""}', False),
        (b'{"arguments":{"a":1,"call":"c1","tool":"local/x"}}', False),
        (b'{"arguments":{},"call":"c2","tool":"local/x"}', False),
        (b',"call":"c1","tool":""}', False),
    ],
)
def test_only_a_body_that_plainly_names_its_call_needs_no_parser(body: bytes, plainly: bool) -> None:
    assert _says(body, "tool.requested", "c1") is plainly


@pytest.mark.parametrize(
    ("body", "call_id", "plainly"),
    [
        (b'{"call":"c1","output":{"call":"c2"}}', "c1", True),
        (b'{"call":"c1","output":{"call":"c2"}}', "c2", False),
        (b'{"call":"c1","output":1}', 'c1","output":1}', False),
        (b'{"call":"a\\u0062"}', "a\\u0062", False),
        (b'{"arguments":{},"call":"c1","code":"c","message":"m","tool":"t"}', "c1", False),
        (b'{"call":7}', 7, False),
    ],
)
def test_the_end_of_a_call_names_it_first_or_needs_a_parser(body: bytes, call_id: object, plainly: bool) -> None:
    assert _says(body, "tool.completed", call_id) is plainly
