"""Each vector goes red on a subject that breaks its promise, and no other vector does."""

from pathlib import Path

import plain_subject
import pytest
from plain_subject import Plain

from licet.conformance.run import run
from licet.conformance.target import InProcess, python
from licet.conformance.vector import chosen

CORE = chosen(["core"])

GO_ALONG = {"hidden.called": {"hidden.same-answer", "hidden.bad-arguments"}}
"""Vectors that the same fault breaks as well, because they promise it of another moment."""


async def red(*faults: str) -> set[str]:
    report = await run(InProcess(lambda: Plain(*faults)), CORE, patience_s=4.0)
    return {one.vector for one in report.outcomes if not one.is_green}


async def test_a_runtime_that_keeps_its_promises_is_green_on_every_core_vector_and_applicable_to_all() -> None:
    report = await run(InProcess(Plain), CORE, patience_s=5.0)
    assert [(one.vector, one.verdict, one.told) for one in report.outcomes if one.verdict != "passed"] == []


@pytest.mark.parametrize("vector", [one.id for one in CORE])
async def test_a_subject_that_breaks_one_promise_is_found_by_its_vector_and_by_no_other(vector: str) -> None:
    assert await red(vector) == {vector} | GO_ALONG.get(vector, set())


async def test_the_person_who_is_asked_is_reached_from_a_subject_in_a_process_of_its_own() -> None:
    about = tuple(one for one in CORE if one.topic == "approval")
    report = await run(python(str(Path(plain_subject.__file__)) + ":Plain", {}), about)
    assert [(one.vector, one.verdict) for one in report.outcomes] == [(one.id, "passed") for one in about]
