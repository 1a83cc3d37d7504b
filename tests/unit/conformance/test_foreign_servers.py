"""A server whose tools are its own: what can be seen from outside is examined, and nothing is said of the rest."""

import sys
from pathlib import Path

import pytest

from licet.conformance.execution import Executions
from licet.conformance.hub import Hub
from licet.conformance.run import Report, run
from licet.conformance.target import address, server
from licet.conformance.vector import chosen, vectors
from licet.errors import ConfigurationError

SCRIPT = str(Path(__file__).parent / "foreign_server.py")
SEEN = [one.id for one in vectors() if one.foreign is not None]


async def examined(fault: str = "", *, allow_effects: bool = False, patience_s: float = 5.0) -> Report:
    target = server([sys.executable, SCRIPT, fault], {}, allow_effects=allow_effects)
    return await run(target, chosen(["core"]), patience_s=patience_s)


def red(report: Report) -> set[str]:
    return {one.vector for one in report.outcomes if not one.is_green}


async def test_a_careful_server_passes_all_that_can_be_seen_and_the_rest_is_not_applicable_with_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    report = await examined()
    assert [(one.vector, one.told) for one in report.outcomes if not one.is_green] == []
    assert {one.vector for one in report.outcomes if one.verdict == "passed"} == set(SEEN)
    assert all(one.told for one in report.outcomes if one.verdict == "not applicable")
    assert not (tmp_path / "wiped").exists()


@pytest.mark.parametrize("vector", SEEN)
async def test_a_server_that_breaks_one_promise_is_found_by_its_vector_and_by_no_other(vector: str) -> None:
    assert red(await examined(vector)) == {vector}


async def test_without_hints_nothing_is_called_unless_effects_are_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    report = await examined("no hints")
    told = {one.vector: one.told for one in report.outcomes}
    assert "--allow-effects" in told["arguments.required"]
    assert not (tmp_path / "wiped").exists()
    report = await examined("no hints", allow_effects=True)
    assert "arguments.required" in {one.vector for one in report.outcomes if one.verdict == "passed"}
    assert (tmp_path / "wiped").exists()


@pytest.mark.parametrize(("fault", "verdict"), [("hangs", "hung"), ("twice", "garbled"), ("chatters", "garbled")])
async def test_a_server_that_nobody_can_follow_gets_a_verdict_with_a_name(fault: str, verdict: str) -> None:
    report = await examined(fault, patience_s=0.3)
    assert not report.ok
    assert {one.verdict for one in report.outcomes} == {verdict, "not applicable"}


async def test_a_command_that_does_not_exist_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match="was not found"):
        server(["licet-no-such-command"], {})


async def test_a_command_that_is_no_server_is_red_and_tells_its_last_words() -> None:
    target = server([sys.executable, "-c", "import sys; sys.exit('no database')"], {})
    report = await run(target, chosen(only=["names.valid"]), patience_s=5.0)
    assert (report.outcomes[0].verdict, "no database" in report.outcomes[0].told) == ("died", True)


async def test_a_server_at_a_url_is_examined_like_one_that_is_a_command() -> None:
    vector = chosen(only=["arguments.schema"])[0]
    executions = Executions()
    async with Hub.opened(executions, vector) as hub:
        report = await run(address(hub.url, {}), chosen(["core"]), patience_s=5.0)
    seen = {one.verdict for one in report.outcomes if one.vector in SEEN}
    assert {"passed", "failed"} == seen, "the suite's own server checks no arguments"
    assert {one.vector for one in report.outcomes if one.verdict == "failed"} <= {
        "arguments.required",
        "arguments.type",
        "arguments.extra",
        "arguments.enum",
        "arguments.bound",
    }


async def test_a_url_at_which_nobody_listens_is_red_and_never_passed() -> None:
    report = await run(address("http://127.0.0.1:9/mcp", {}), chosen(["core"]), patience_s=2.0)
    assert {one.verdict for one in report.outcomes} == {"died", "not applicable"}


async def test_a_gateway_that_does_not_exist_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match="was not found"):
        server(["licet-no-such-command", "{upstream}"], {})


async def test_the_suites_own_server_finds_a_short_way_where_the_folder_for_files_is_far_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = tmp_path / ("x" * 100)
    far.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(far))
    async with Hub.opened(Executions(), chosen(only=["names.listed"])[0]) as hub:
        assert len(hub.command[-1]) < 108
