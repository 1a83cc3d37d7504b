"""Licet itself as the subject: its runtime, with tools of this process and of MCP servers, and ``licet serve``."""

import inspect
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import licet_over_mcp
import licet_runtime
import licet_serve
import pytest

from licet.conformance.run import Report, run
from licet.conformance.subject import Subject
from licet.conformance.target import InProcess
from licet.conformance.vector import Vector, chosen, vectors

NO_SOURCE = {one.id for one in vectors() if one.topic == "changed" or one.options.get("source_is_dead")}
"""Vectors about a source of tools, which functions of one's own process do not have."""
OVER_HTTP = tuple(one for one in vectors() if one.suite == "profile" or one.topic == "approval")
"""Of the core suite what goes the other way, too: the server asks its client."""
NOT_BEHIND_MCP = {"errors.secret"}
NOT_OVER_MCP = NOT_BEHIND_MCP | {one.id for one in vectors() if {"call id", "text"} & {*one.needs}}


async def examined(subject: Callable[[], Subject], on: tuple[Vector, ...] = ()) -> Report:
    report = await run(InProcess(subject), on or vectors(), patience_s=25.0)
    assert [(one.vector, one.verdict, one.told) for one in report.outcomes if not one.is_green] == []
    return report


def not_applicable(report: Report) -> set[str]:
    return {one.vector for one in report.outcomes if one.verdict == "not applicable"}


@pytest.mark.requirement("profile.conformance-suite")
async def test_the_runtime_keeps_the_whole_contract_with_tools_of_its_own_process() -> None:
    assert not_applicable(await examined(licet_runtime.LicetRuntime)) == NO_SOURCE


@pytest.mark.requirement("profile.conformance-suite")
@pytest.mark.parametrize("suite", ["core", "profile"])
async def test_the_runtime_keeps_the_contract_before_an_mcp_server_at_a_url(suite: str) -> None:
    report = await examined(licet_over_mcp.LicetOverHttp, chosen([suite]))
    assert not_applicable(report) <= NOT_BEHIND_MCP


@pytest.mark.requirement("profile.conformance-suite")
@pytest.mark.parametrize("topic", sorted({one.topic for one in vectors()}))
async def test_the_runtime_keeps_the_contract_before_an_mcp_server_that_it_starts(topic: str) -> None:
    report = await examined(licet_over_mcp.LicetOverMcp, tuple(one for one in vectors() if one.topic == topic))
    assert not_applicable(report) <= NOT_BEHIND_MCP


@pytest.mark.requirement("profile.conformance-suite")
@pytest.mark.parametrize("vector", [one for one in vectors() if one.id not in NOT_OVER_MCP], ids=lambda one: one.id)
async def test_licet_serve_keeps_the_contract(vector: Vector) -> None:
    assert not_applicable(await examined(licet_serve.LicetServe, (vector,))) == set()


@pytest.mark.requirement("profile.conformance-suite")
@pytest.mark.parametrize("vector", OVER_HTTP, ids=lambda one: one.id)
async def test_licet_serve_keeps_the_contract_over_http(vector: Vector) -> None:
    assert not_applicable(await examined(licet_serve.LicetServeHttp, (vector,))) == set()


UNGUARDED = [sys.executable, str(Path(__file__).with_name("unguarded.py"))]
NEEDS_THE_GUARD = ["fields.shown-full", "fields.full", "fields.top", "fields.nested", "gates.override"]


@pytest.mark.parametrize("vector", NEEDS_THE_GUARD)
async def test_over_http_without_the_guard_its_vectors_are_red(vector: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(licet_serve, "LICET", UNGUARDED)
    report = await run(InProcess(licet_serve.LicetServeHttp), chosen(only=[vector]))
    assert [one.verdict for one in report.outcomes] == ["failed"]


def under_full(topics: Iterable[str]) -> tuple[Vector, ...]:
    """What execute promises of the gates is promised by full as well."""
    return tuple(
        one._replace(options={**one.options, "profile": "full"})
        for one in vectors()
        if one.topic in topics and one.profile == "execute"
    )


@pytest.mark.requirement("profile.conformance-suite")
async def test_under_full_the_fields_the_gates_and_the_receipts_are_those_of_execute() -> None:
    report = await examined(licet_runtime.LicetRuntime, under_full(["fields", "gates", "receipt"]))
    assert not_applicable(report) == set()


@pytest.mark.requirement("profile.conformance-suite")
@pytest.mark.parametrize("vector", under_full(["gates"]), ids=lambda one: one.id)
async def test_under_full_licet_serve_over_http_keeps_each_gate(vector: Vector) -> None:
    assert not_applicable(await examined(licet_serve.LicetServeHttp, (vector,))) == set()


async def test_what_does_not_go_over_mcp_is_not_applicable_to_licet_serve_and_never_passed() -> None:
    report = await examined(licet_serve.LicetServe, tuple(one for one in vectors() if one.id in NOT_OVER_MCP))
    assert not_applicable(report) == NOT_OVER_MCP


@pytest.mark.parametrize(
    "subject",
    [licet_runtime.LicetRuntime, licet_over_mcp.LicetOverMcp, licet_serve.LicetServe],
    ids=lambda one: one.__name__,
)
def test_a_subject_is_at_most_thirty_lines(subject: type) -> None:
    assert len(inspect.getsource(subject).splitlines()) <= 30
