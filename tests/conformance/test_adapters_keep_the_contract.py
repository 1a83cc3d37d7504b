"""Agent frameworks over licet as subjects: each call in a run of an agent with the framework's own stand-in."""

import inspect

import bare_langchain
import bare_openai_agents
import bare_pydantic_ai
import pytest
import subject_langchain
import subject_openai_agents
import subject_pydantic_ai

from licet.conformance.run import run
from licet.conformance.subject import Subject
from licet.conformance.target import InProcess
from licet.conformance.vector import chosen, vectors

NO_SOURCE = {one.id for one in vectors() if one.topic == "changed" or one.options.get("source_is_dead")}
"""Vectors about a source of tools, which functions of one's own process do not have."""
TEXT = {one.id for one in vectors() if "text" in one.needs}
"""A call of LangChain's holds an object: the text that a model wrote is read by an integration, before any tool."""

ADAPTERS = [
    pytest.param(subject_pydantic_ai.LicetInPydanticAi, NO_SOURCE, id="pydantic-ai"),
    pytest.param(subject_openai_agents.LicetInOpenAiAgents, NO_SOURCE, id="openai-agents"),
    pytest.param(subject_langchain.LicetInLangChain, NO_SOURCE | TEXT, id="langchain"),
]
BARE = [bare_pydantic_ai.PydanticAi, bare_openai_agents.OpenAiAgents, bare_langchain.LangChain]


@pytest.mark.requirement("profile.conformance-suite")
@pytest.mark.parametrize("suite", ["core", "profile"])
@pytest.mark.parametrize(("subject", "without"), ADAPTERS)
async def test_a_framework_over_licet_keeps_the_contract(subject: type[Subject], without: set[str], suite: str) -> None:
    report = await run(InProcess(subject), chosen([suite]))
    assert [(one.vector, one.verdict, one.told) for one in report.outcomes if not one.is_green] == []
    assert {one.vector for one in report.outcomes if one.verdict == "not applicable"} <= without


@pytest.mark.parametrize("subject", BARE, ids=lambda one: one.__name__)
async def test_the_same_subject_without_licet_is_told_from_it(subject: type[Subject]) -> None:
    """The subjects differ in their tools alone, so what is red here is what licet adds."""
    report = await run(InProcess(subject), chosen(["core"]))
    red = {one.vector for one in report.outcomes if not one.is_green}
    assert {"arguments.extra", "arguments.nested-extra", "once.again"} <= red
    assert sum(one.verdict == "passed" for one in report.outcomes) > 15, "the subject itself is sound"


@pytest.mark.parametrize("subject", [*(each.values[0] for each in ADAPTERS), *BARE], ids=lambda one: one.__name__)
def test_a_subject_is_at_most_thirty_lines(subject: type) -> None:
    assert len(inspect.getsource(subject).splitlines()) <= 30
