"""The pause between two connections."""

from licet.sources.mcp.backoff import Backoff
from licet.sources.mcp.limits import McpLimits

LIMITS = McpLimits(least_pause_s=10.0, most_pause_s=100.0)


async def test_it_doubles_with_each_failure_in_a_row_up_to_its_most() -> None:
    backoff = Backoff(LIMITS)
    assert backoff.left_s == 0
    for most in (10, 20, 40, 80, 100, 100):
        backoff.ended()
        assert most / 2 - 1 < backoff.left_s <= most


async def test_it_is_short_again_after_something_was_of_use() -> None:
    backoff = Backoff(LIMITS)
    for _ in range(5):
        backoff.ended()
    backoff.was_of_use()
    backoff.ended()
    assert 4 < backoff.left_s <= 10


async def test_it_never_overflows_and_is_forgotten_on_another_loop() -> None:
    backoff = Backoff(LIMITS)
    for _ in range(2000):
        backoff.ended()
    assert backoff.left_s <= 100
    backoff.moved()
    assert backoff.left_s == 0
