"""The contract package for TypeScript, in a small runtime in JavaScript, as a subject over JSON lines."""

import subprocess
from pathlib import Path

import pytest

from licet.conformance.run import run
from licet.conformance.target import Lines
from licet.conformance.vector import chosen, vectors

ROOT = Path(__file__).parent.parent.parent
SUBJECT = str(ROOT / "docs" / "samples" / "subject.mjs")
PACKAGE = str(ROOT / "packages" / "licet-contract" / "dist" / "src" / "index.js")

NO_SOURCE = {one.id for one in vectors() if one.topic == "changed" or one.options.get("source_is_dead")}
OBJECTS_ONLY = {one.id for one in vectors() if "text" in one.needs}
ASKS_NOBODY = {one.id for one in vectors() if "approval" in one.needs}
NO_ENCODING = {"names.valid", "names.distinct"}


@pytest.fixture(scope="module")
def node() -> str:
    """The Node that runs the package, once it is built."""
    command = [str(ROOT / "scripts" / "contract-package"), "build"]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return built.stdout.strip()


@pytest.mark.requirement("profile.conformance-suite")
async def test_the_package_for_typescript_keeps_the_contract_in_every_profile(node: str) -> None:
    report = await run(Lines([node, SUBJECT, PACKAGE], {}), vectors())
    assert [(one.vector, one.verdict, one.told) for one in report.outcomes if not one.is_green] == []
    without = {one.vector for one in report.outcomes if one.verdict == "not applicable"}
    assert without == NO_SOURCE | OBJECTS_ONLY | ASKS_NOBODY | NO_ENCODING


async def test_a_runtime_without_the_package_knows_no_profiles_and_passes_none_of_their_vectors(node: str) -> None:
    report = await run(Lines([node, SUBJECT], {}), chosen(["profile"]))
    assert {one.verdict for one in report.outcomes} == {"not applicable"}
    assert not report.ok, "nothing was examined"
