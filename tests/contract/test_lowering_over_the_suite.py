"""The schemas of the JSON Schema Test Suite, draft 2020-12, lowered to every wire: nothing valid is refused there.

The suite is data, and no part of this repository: it is looked for beside it. Where it is absent, the tests say so.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from licet.dialects.lower import Form, lowered
from licet.dialects.lower.forms import EVERY as FORMS
from licet.errors import RegistrationError
from licet.model.json_object import JsonObject
from licet.model.tool import ModelTool
from licet.schema.validate import compile

SUITE = Path(__file__).parents[3] / "shared" / "data" / "json-schema-test-suite"

pytestmark = pytest.mark.skipif(not SUITE.is_dir(), reason=f"the JSON Schema Test Suite is not at {SUITE}")

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


def roots() -> Iterator[tuple[str, dict[str, Any], list[Any]]]:
    """Each schema as a tool's root and, where it refers to nothing, as that of a property; and what fits it."""
    for file in sorted((SUITE / "tests" / "draft2020-12").glob("*.json")):
        for group in json.loads(file.read_text("utf-8")):
            name, schema = f"{file.stem}: {group['description']}", group["schema"]
            fits = [case["data"] for case in group["tests"] if case["valid"]]
            if isinstance(schema, dict):
                yield name, {**schema, "type": "object"}, [one for one in fits if isinstance(one, dict)]
            if not any(keyword in json.dumps(schema) for keyword in REFERENCES):
                yield name, {"type": "object", "properties": {"p": schema}}, [{"p": one} for one in fits]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_a_wire_takes_what_the_registered_schema_takes(form: Form) -> None:
    looked = 0
    for name, schema, fits in roots():
        registered = JsonObject(schema)
        try:
            takes = compile(registered, where="the suite").is_valid
        except RegistrationError:
            continue  # it leads out of the document
        low = lowered(ModelTool("local/t", "", registered, form.strict), form)
        looked += 1
        if form.uppercase:
            continue  # it is no JSON Schema any more
        wire = compile(JsonObject(low.json), where=f"{form.name}: {name}")
        narrowed = any(loss.became in ("false", "every property") for loss in low.losses)
        for value in fits:
            if not low.renamed and not narrowed and takes(value):
                assert wire.errors(value) == [], f"{form.name}: {name}"
    assert looked > 500
