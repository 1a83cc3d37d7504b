"""A server whose tools are its own, and that is said to serve a profile: what its listing shows is held against it."""

import sys
from pathlib import Path

import pytest

from licet.conformance.run import Report, run
from licet.conformance.target import server
from licet.conformance.vector import chosen
from licet.profiles import shipped

SCRIPT = str(Path(__file__).parent / "profiled_server.py")
OBSERVE = ["get_contract", "query_data", "simulate", "recommend"]
GOVERN = [*OBSERVE, "plan_decision", "log_decision"]
EXECUTE = [*GOVERN, "execute_decision"]
TOOLS = {"observe": OBSERVE, "govern": GOVERN, "execute": EXECUTE, "full": [*EXECUTE, "reindex_all"]}


async def examined(profile: str, tools: list[str], *arguments: str, said: bool = True) -> Report:
    command = [sys.executable, SCRIPT, ",".join(tools), ",".join(arguments)]
    target = server(command, {}, profiles=[profile] if said else [])
    return await run(target, chosen(["profile"], [profile]), patience_s=5.0)


def verdicts(report: Report) -> dict[str, str]:
    return {one.vector: one.verdict for one in report.outcomes if one.verdict != "not applicable"}


@pytest.mark.parametrize("prefix", ["", "algenta_"])
@pytest.mark.parametrize("profile", TOOLS)
async def test_a_server_that_shows_exactly_its_profile_passes_under_plain_and_flat_names(
    profile: str, prefix: str
) -> None:
    report = await examined(profile, [prefix + name for name in TOOLS[profile]])
    assert verdicts(report) == {f"profile.{profile}": "passed", f"fields.shown-{profile}": "passed"}
    assert report.ok


@pytest.mark.parametrize("profile", TOOLS)
async def test_a_tool_that_is_missing_is_found(profile: str) -> None:
    found = verdicts(await examined(profile, TOOLS[profile][1:]))
    assert found == {f"profile.{profile}": "failed", f"fields.shown-{profile}": "passed"}


@pytest.mark.parametrize("more", ["execute_decision", "reindex_all", "plan_decision"])
async def test_a_tool_too_many_is_found(more: str) -> None:
    found = verdicts(await examined("observe", [*OBSERVE, more]))
    assert found == {"profile.observe": "failed", "fields.shown-observe": "passed"}


@pytest.mark.parametrize("field", [*shipped().never_model_facing, "overrideSafety", "FORCE"])
@pytest.mark.parametrize("profile", TOOLS)
async def test_a_field_that_no_model_may_set_is_found_in_every_profile(profile: str, field: str) -> None:
    found = verdicts(await examined(profile, TOOLS[profile], field))
    assert found == {f"profile.{profile}": "passed", f"fields.shown-{profile}": "failed"}


async def test_nothing_is_said_of_a_server_whose_profile_nobody_named() -> None:
    report = await examined("observe", OBSERVE, said=False)
    assert verdicts(report) == {}
    assert not report.ok
    told = {one.vector: one.told for one in report.outcomes}
    assert "--profile" in told["profile.observe"]
