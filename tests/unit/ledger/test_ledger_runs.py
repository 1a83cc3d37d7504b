"""Summaries of runs."""

import pytest

from licet.ledger.run import Line, RunSummary, summarise


def line(run: str, kind: str, call: str | None = None, at_us: int | None = 1, actor: str = "owl") -> Line:
    return run, kind, actor, call, b"{}" if at_us is None else b'{"at_us":%d}' % at_us


def test_no_entries_are_no_runs() -> None:
    assert summarise([]) == []


def test_entries_that_carry_no_run_are_no_run() -> None:
    assert summarise([line("", "pin.first_use"), line("", "tool.refused", "c1")]) == []


def test_runs_come_in_the_order_in_which_they_began() -> None:
    lines = [line("b", "x.y", at_us=5), line("a", "x.y", at_us=6), line("b", "x.y", at_us=9)]
    assert [(run.run_id, run.started_us, run.ended_us) for run in summarise(lines)] == [("b", 5, 9), ("a", 6, 6)]


@pytest.mark.parametrize(
    ("kinds", "calls", "refused", "failed", "unknown"),
    [
        (["tool.requested"], 1, 0, 0, 1),
        (["tool.requested", "tool.completed"], 1, 0, 0, 0),
        (["tool.requested", "tool.failed"], 1, 0, 1, 0),
        (["tool.requested", "tool.abandoned"], 1, 0, 1, 0),
        (["tool.requested", "tool.refused"], 1, 1, 0, 0),
        (["tool.requested", "tool.settled"], 1, 0, 0, 0),
        (["tool.refused"], 1, 1, 0, 0),
        (["tool.denied"], 1, 1, 0, 0),
        (["tool.completed"], 0, 0, 0, 0),
        (["tool.requested", "tool.settled", "tool.failed"], 1, 0, 0, 0),
        (["tool.approved", "tool.requested", "tool.completed"], 1, 0, 0, 0),
    ],
)
def test_a_call_is_counted_once_by_its_first_end(
    kinds: list[str], calls: int, refused: int, failed: int, unknown: int
) -> None:
    (run,) = summarise([line("r", kind, "c1") for kind in kinds])
    assert (run.calls, run.refused, run.failed, run.unknown) == (calls, refused, failed, unknown)


@pytest.mark.parametrize("trace", [b"{}", b"[]", b"", b'{"at_us":"soon"}', b"no JSON", b'{"at_us":null}'])
def test_a_trace_without_a_time_gives_none(trace: bytes) -> None:
    assert summarise([("r", "x.y", "owl", None, trace)]) == [RunSummary("r", "owl", None, None, 0, 0, 0, 0)]


def test_the_actor_is_who_began_the_run() -> None:
    (run,) = summarise([line("r", "tool.requested", "c1"), line("r", "tool.settled", "c1", actor="a person")])
    assert run.actor == "owl"
