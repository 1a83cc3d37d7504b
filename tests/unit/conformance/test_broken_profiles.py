"""Each vector of the profile suite goes red on an integration, or an engine, that breaks its promise."""

from collections.abc import Sequence
from typing import Any

import pytest
from profiled_subject import Profiled, put_faulty_engine

from licet.conformance import Options, Tool
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
    report = await run(InProcess(lambda: Profiled(vector)), PROFILE, patience_s=4.0)
    assert {one.vector for one in report.outcomes if not one.is_green} == {vector} | GO_ALONG.get(vector, set())


class Before:
    """A gateway that puts its server's name before those of tools, and leaves it out where it says what is not there.

    ``hidden`` is what it says of a tool that is there and outside the profile.
    """

    hidden = "there is no tool TOOL"

    async def setup(self, tools: Sequence[Tool], options: Options) -> None:
        self.tools = {f"algenta_{tool.name}": tool for tool in tools}

    async def list(self) -> list[Any]:
        shown = list(self.tools.items())[:4]
        return [{"name": name, "description": tool[1], "input_schema": tool[2]} for name, tool in shown]

    async def call(self, name: str, arguments: dict[str, Any], call_id: str) -> Any:
        told = self.hidden if name in self.tools else "there is no tool TOOL"
        is_ours = name.startswith("algenta_")
        return {"ok": False, "content": told.replace("TOOL", name[8:]) if is_ours else "there is no such server"}

    async def close(self) -> None:
        pass


class Telling(Before):
    hidden = "TOOL is not allowed for you"


@pytest.mark.parametrize(("subject", "verdict"), [(Before, "passed"), (Telling, "failed")])
async def test_denials_are_held_against_each_other_among_names_of_one_server(subject: type, verdict: str) -> None:
    report = await run(InProcess(subject), chosen(only=["profile.unknown-alike"]), patience_s=4.0)
    assert [one.verdict for one in report.outcomes] == [verdict]
