"""The vectors that both languages share, in Python."""

import json
from pathlib import Path
from typing import Any

import pytest

from licet.errors import ConfigurationError
from licet.profiles import flat_name, profile, scrubbed, stripped
from licet.profiles.fields import fields

VECTORS = json.loads((Path(__file__).parents[3] / "contracts" / "vectors.json").read_text("utf-8"))
FIELDS = fields(tuple(VECTORS["fields"]["never"]), tuple(VECTORS["fields"]["free"]))


def titled(vectors: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(vector, id=vector["title"]) for vector in vectors]


@pytest.mark.requirement("profile.never-model-facing")
@pytest.mark.parametrize("vector", titled(VECTORS["strip"]))
def test_a_schema_is_stripped(vector: dict[str, Any]) -> None:
    assert stripped(vector["schema"], FIELDS).copy() == vector["stripped"]


@pytest.mark.requirement("profile.never-model-facing")
@pytest.mark.parametrize("vector", titled(VECTORS["scrub"]))
def test_arguments_are_scrubbed_or_refused(vector: dict[str, Any]) -> None:
    found = scrubbed(vector["arguments"], FIELDS)
    if "refused_at" in vector:
        assert (found.at, bool(found.problem)) == (vector["refused_at"], True)
    else:
        assert (found.arguments, list(found.removed), found.problem) == (vector["scrubbed"], vector["removed"], "")


@pytest.mark.requirement("profile.flat-names")
@pytest.mark.parametrize("vector", VECTORS["flat"])
def test_a_flat_name_is_the_prefix_and_the_name(vector: dict[str, str]) -> None:
    if "flat" in vector:
        assert flat_name(vector["tool"]) == vector["flat"]
    else:
        with pytest.raises(ConfigurationError, match="has no flat name"):
            flat_name(vector["tool"])


@pytest.mark.requirement("profile.cumulative")
@pytest.mark.requirement("profile.default-observe")
@pytest.mark.parametrize("vector", VECTORS["profiles"])
def test_a_profile_is_its_tools_and_the_mode_that_lists_them(vector: dict[str, Any]) -> None:
    if vector.get("refused"):
        with pytest.raises(ValueError, match="there is no profile"):
            profile(vector["name"])
        return
    held = profile(vector["name"])
    tools = None if held.tools is None else list(held.tools)
    assert (tools, held.mode) == (vector["tools"], vector["mode"])
