"""The schemas of the intrinsics stand in the docs, for whoever speaks to an agent from outside.

With ``LICET_REGENERATE=1`` in the environment they are written anew, after a change that is meant.
"""

import json
import os
from pathlib import Path

import pytest

from licet.intrinsics import NAMES, intrinsics
from licet.model.tool import ToolSpec

FOLDER = Path(__file__).parents[2] / "docs" / "a2a" / "ext" / "intrinsics"


def text_of(spec: ToolSpec) -> str:
    return json.dumps(dict(spec.input_schema), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


WRITTEN = {spec.name.removeprefix("local/"): text_of(spec) for spec in intrinsics()}

if os.environ.get("LICET_REGENERATE") == "1":
    for name, text in WRITTEN.items():
        (FOLDER / f"{name}.json").write_text(text, "utf-8")


@pytest.mark.requirement("intrinsics.schemas-pinned")
@pytest.mark.parametrize("name", NAMES)
def test_the_committed_schema_is_the_one_that_is_registered(name: str) -> None:
    assert (FOLDER / f"{name}.json").read_text("utf-8") == WRITTEN[name]


@pytest.mark.requirement("intrinsics.schemas-pinned")
def test_nothing_else_stands_beside_them() -> None:
    assert sorted(file.name for file in FOLDER.iterdir()) == sorted(f"{name}.json" for name in NAMES)
