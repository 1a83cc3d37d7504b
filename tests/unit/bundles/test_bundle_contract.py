"""What the built-ins declare, value by value, and that one set of tools serves every policy."""

from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from licet.bundles import GROUPS, editing_builtins, read_only_builtins, shell_builtins, utility_builtins
from licet.bundles.files import tools
from licet.model.context import CallContext
from licet.model.paths import PathPolicy
from licet.model.tool import BUILTIN_GROUPS, Annotations, Execution, ToolCapability, ToolSpec
from licet.workspace.workspace import Workspace

READS = Annotations(read_only=True, destructive=False, open_world=False, idempotent=True)
READS_ONLY = ToolCapability(read_only=True, idempotent=True)
WRITES = Annotations(read_only=False, destructive=True, open_world=False, idempotent=False)
WRITES_BACK = ToolCapability(writes=True, checkpointable=True)
INLINE = Execution(mode="parallel", timeout_s=30.0, abortable=True, inline=True)
THREADED = Execution(mode="parallel", timeout_s=30.0, abortable=True, inline=False)
ALONE = Execution(mode="sequential", timeout_s=30.0, abortable=False, inline=False)

DECLARED = {
    "local/ls": ("read_only_builtins", "read", READS, READS_ONLY, INLINE),
    "local/find": ("read_only_builtins", "search", READS, READS_ONLY, THREADED),
    "local/grep": ("read_only_builtins", "search", READS, READS_ONLY, THREADED),
    "local/read": ("read_only_builtins", "read", READS, READS_ONLY, INLINE),
    "local/write": ("editing_builtins", "write", WRITES, WRITES_BACK, ALONE),
    "local/edit": ("editing_builtins", "write", WRITES, WRITES_BACK, ALONE),
}

ARGUMENTS = {
    "local/ls": ({"path", "limit"}, set()),
    "local/find": ({"pattern", "path", "limit"}, {"pattern"}),
    "local/grep": ({"pattern", "path", "glob", "ignore_case", "literal", "limit"}, {"pattern"}),
    "local/read": ({"path", "offset", "limit"}, {"path"}),
    "local/write": ({"path", "content"}, {"path", "content"}),
    "local/edit": ({"path", "edits"}, {"path", "edits"}),
}


def names(specs: tuple[ToolSpec, ...]) -> list[str]:
    return [spec.name for spec in specs]


@pytest.mark.requirement("contract.builtin-groups")
def test_the_four_groups_hold_what_was_promised() -> None:
    assert utility_builtins() == shell_builtins() == ()
    assert names(read_only_builtins()) == ["local/ls", "local/find", "local/grep", "local/read"]
    assert names(editing_builtins()) == ["local/write", "local/edit"]
    assert tuple(GROUPS) == BUILTIN_GROUPS
    for group, members in GROUPS.items():
        assert all(spec.group == group for spec in members())
    assert tools() == (*read_only_builtins(), *editing_builtins())


@pytest.mark.requirement("contract.explicit-metadata")
@pytest.mark.parametrize("spec", tools(), ids=lambda spec: spec.name)
def test_each_tool_declares_every_value(spec: ToolSpec) -> None:
    group, category, annotations, capabilities, execution = DECLARED[spec.name]
    assert (spec.source, spec.tool_type, spec.schema_inferred) == ("builtin", "tool", False)
    assert (spec.group, spec.category) == (group, category)
    assert spec.annotations == annotations
    assert spec.capabilities == capabilities
    assert spec.execution == execution
    assert spec.path_access == "danger_full_access"
    assert spec.path_arguments == ("/path",)
    assert spec.description
    assert spec.title
    assert spec.handler is not None
    assert (spec.checkpoint is not None) is (spec.restore is not None) is capabilities.checkpointable


@pytest.mark.requirement("contract.explicit-metadata")
@pytest.mark.parametrize("spec", tools(), ids=lambda spec: spec.name)
def test_each_schema_is_a_closed_object_with_the_arguments_of_the_contract(spec: ToolSpec) -> None:
    properties, required = ARGUMENTS[spec.name]
    assert set(spec.input_schema["properties"]) == properties
    assert set(spec.input_schema["required"]) == required
    assert spec.output_schema is not None
    for schema in (dict(spec.input_schema), dict(spec.output_schema)):
        jsonschema_rs.validator_for(schema)
        for inner in objects(schema):
            assert inner["additionalProperties"] is False
            assert set(inner["required"]) <= set(inner["properties"])
    for inner in objects(dict(spec.input_schema)):
        for name, value in inner["properties"].items():
            bound = {"string": "maxLength", "integer": "maximum", "array": "maxItems"}.get(value["type"], "type")
            assert bound in value or name in ("content", "old_text", "new_text"), f"{name} has no bound"


def objects(schema: dict[str, Any]) -> list[dict[str, Any]]:
    inner = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    found = [schema] if schema.get("type") == "object" else []
    return found + [each for one in inner for each in objects(one)]


class Holder:
    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace


@pytest.mark.requirement("path.same-tools-any-policy", "path.policies")
def test_the_same_tools_run_unchanged_under_every_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two, outside = (tmp_path / name for name in ("one", "two", "outside"))
    for folder in (one, two, outside):
        folder.mkdir()
        (folder / "file").write_text("text\n")
        (one / f"to_{folder.name}").symlink_to(folder)
        (one / f"in_{folder.name}").symlink_to(f"../{folder.name}")
    monkeypatch.chdir(one)
    paths = {"file", f"{one}/file", f"{two}/file", f"{outside}/file", "to_two/file", "in_outside/file", "../two/file"}
    allowed = {
        PathPolicy.current_project(one): {"file", f"{one}/file"},
        PathPolicy.allowed_roots(one, two): {"file", f"{one}/file", f"{two}/file"},
        PathPolicy.danger_full_access(): paths,
    }
    calls: dict[str, dict[str, Any]] = {
        "local/read": {},
        "local/grep": {"pattern": "text"},
        "local/edit": {"edits": [{"old_text": "text", "new_text": "text"}]},
        "local/write": {"content": "text\n"},
    }
    handlers = {spec.name: spec.handler for spec in tools()}
    for policy, expected in allowed.items():
        with Workspace(policy) as workspace:
            context = CallContext("call", "run", None, Holder(workspace))
            for name, arguments in calls.items():
                handler = handlers[name]
                assert handler is not None
                done = set()
                for path in paths:
                    try:
                        handler(context=context, path=path, **arguments)
                    except PermissionError:
                        continue
                    done.add(path)
                assert done == expected, (policy.access, name)
