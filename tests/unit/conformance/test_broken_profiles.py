"""Each vector of the profile suite goes red on an integration, or an engine, that breaks its promise."""

import pytest
from profiled_subject import Profiled, put_faulty_engine

from licet.conformance.run import run
from licet.conformance.target import InProcess
from licet.conformance.vector import chosen

PROFILE = chosen(["profile"])

GO_ALONG = {
    "fields.top": {"gates.force", "gates.override"},  # what comes to the engine opens a gate there
    "gates.force": {"fields.top"},
    "gates.override": {"fields.top"},
    "receipt.failed": {"gates.after-failure"},
}
"""Vectors that the same fault breaks as well."""


async def test_an_integration_that_keeps_the_profile_contract_is_green_on_every_vector() -> None:
    report = await run(InProcess(Profiled), PROFILE, patience_s=5.0)
    assert [(one.vector, one.verdict, one.told) for one in report.outcomes if one.verdict != "passed"] == []


@pytest.mark.parametrize("vector", [one.id for one in PROFILE])
async def test_an_integration_that_breaks_one_promise_is_found_by_its_vector_and_by_no_other(
    vector: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_faulty_engine(monkeypatch, (vector,))
    report = await run(InProcess(lambda: Profiled(vector)), PROFILE, patience_s=1.0)
    assert {one.vector for one in report.outcomes if not one.is_green} == {vector} | GO_ALONG.get(vector, set())
