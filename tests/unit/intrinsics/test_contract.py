"""The contract of the twelve, value by value."""

import json

import pytest

from licet import GrantSet, Principal, Runtime
from licet.bundles import GROUPS
from licet.intrinsics import GROUP, KINDS, NAMES, PAYLOADS, READ, SCHEMAS, intrinsics
from licet.model.tool import ToolSpec

TWELVE = {
    "create_plan": ("attach_plan", True, False),
    "complete_step": ("complete_step", True, False),
    "spawn_subtask": ("spawn_subtask", False, False),
    "ask_participant": ("wait_for_reply", False, False),
    "create_task_for_participant": ("create_participant_task", False, False),
    "set_participant_role": ("set_role", True, True),
    "list_skills": (READ, True, False),
    "load_skill": ("skill_loaded", True, False),
    "unload_skill": ("skill_unloaded", True, False),
    "list_skill_resources": (READ, True, False),
    "load_skill_resource": (READ, True, False),
    "emit_ui": ("ui_emitted", False, False),
}


@pytest.mark.requirement("intrinsics.twelve")
def test_the_intrinsics_are_these_twelve_in_this_order() -> None:
    assert [spec.name for spec in intrinsics()] == [f"local/{name}" for name in TWELVE]
    assert list(NAMES) == list(KINDS) == list(SCHEMAS) == list(TWELVE)


@pytest.mark.requirement("intrinsics.twelve")
@pytest.mark.parametrize("spec", intrinsics(), ids=lambda spec: spec.name.partition("/")[2])
def test_an_intrinsic_declares_what_the_table_says(spec: ToolSpec) -> None:
    name = spec.name.partition("/")[2]
    kind, idempotent, asks = TWELVE[name]
    assert KINDS[name] == kind
    assert (spec.source, spec.tool_type, spec.group) == ("builtin", "intrinsic", GROUP)
    assert (spec.path_access, spec.path_arguments, spec.schema_inferred) == ("none", (), False)
    flags = spec.capabilities
    assert (flags.idempotent, flags.human_approval_required, flags.unsafe) == (idempotent, asks, False)
    assert (flags.read_only, flags.writes, flags.checkpointable) == (kind == READ, False, False)
    assert spec.annotations.idempotent is idempotent
    assert spec.annotations.open_world is False
    assert spec.execution.mode == ("parallel" if kind == READ else "sequential")
    assert spec.description
    assert spec.title


@pytest.mark.parametrize("name", TWELVE)
def test_every_object_of_arguments_is_closed(name: str) -> None:
    schema = json.loads(json.dumps(SCHEMAS[name]))
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    if name == "create_plan":
        assert schema["properties"]["steps"]["items"]["additionalProperties"] is False
    assert set(PAYLOADS) == set(KINDS.values())


def test_none_of_them_is_in_a_group_of_the_bundles() -> None:
    held = {spec.name for make in GROUPS.values() for spec in make()}
    assert held.isdisjoint(spec.name for spec in intrinsics())
    assert GROUPS["utility_builtins"]() == ()


def test_no_run_mode_hides_them_and_a_grant_does() -> None:
    with Runtime(intrinsics()) as runtime:
        assert runtime.tools_for(Principal("nobody")) == []
        one = runtime.tools_for(Principal("one", grants=["create_plan"]))
        assert [spec.name for spec in one] == ["local/create_plan"]
        every = runtime.tools_for(Principal("all", grants=[GrantSet.group("intrinsics")]))
        assert {spec.name for spec in every} >= {"local/create_plan", "local/emit_ui", "local/list_skills"}
