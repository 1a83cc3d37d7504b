"""Whatever a manifest says: facts, or problems with their lines; no other exception, and no grant of everything."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from licet.doors.registry import principal_of
from licet.errors import ConfigurationError
from licet.model.event import problem_of_kind
from licet.model.tool import ToolSpec
from licet.policy.grants import covers
from licet.project.manifest_file import DEFINITION, reading
from licet.project.shape import schema

KEYS = sorted(schema()["$defs"][DEFINITION.partition("#")[2]]["properties"])
WORDS = st.sampled_from(
    ["oracle", "local/oracle", "mcp/git.*", "*", "*/*", "mcp/*", "?*", "a.b", "tool.completed", "x", "", "\0", "é",
     "intrinsics", "read_only", "danger_full_access", "generic", "offline", "worker", "../x", "a" * 400]
)  # fmt: skip
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-3, 2**63), st.floats(-2, 2), WORDS, st.text(max_size=8))
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3), max_leaves=6
)
LISTS = st.lists(WORDS, max_size=4)
FILES = st.dictionaries(st.sampled_from(KEYS), VALUES | LISTS, max_size=6) | st.fixed_dictionaries(
    {"name": st.just("x")},
    optional={
        "tools": LISTS,
        "globs": LISTS,
        "groups": LISTS,
        "may_emit": LISTS,
        "subscribes_to": LISTS,
        "roots": LISTS,
        "mode": WORDS,
        "memory": st.fixed_dictionaries({}, optional={"window": SCALARS, "salience": SCALARS}),
        "schedule": st.fixed_dictionaries({}, optional={"tick_every": SCALARS, "max_consecutive": SCALARS}),
    },
)


@settings(max_examples=400, deadline=None)
@given(FILES)
def test_a_manifest_is_facts_or_problems_with_their_lines(value: dict[str, Any]) -> None:
    try:
        found = reading(json.dumps(value, indent=1).encode(), "x.yaml", stem="x", handlers=["generic"])
    except ConfigurationError:  # no strict YAML: a number that is too large, half of a surrogate pair
        return
    assert (found.manifest is None) is bool(found.problems)
    for place, text in found.problems:
        told = found.source.told(place, text)
        assert told.startswith("x.yaml:")
        assert told.isprintable()
    if found.manifest is None:
        return
    held = found.manifest
    assert all(not problem_of_kind(kind) for kind in (*held.may_emit, *held.subscribes_to))
    who = principal_of(held.name, held)
    strangers = [ToolSpec(name=name) for name in ("local/anything", "mcp/anywhere.anything", "other/one.two")]
    assert not any(covers(grant, spec) for grant in who.grant_sets for spec in strangers)
    assert not who.grants & {spec.name for spec in strangers}
