"""The tool contract in six tests: groups, metadata, what a provider sees, modes, path policies, bases of paths.

Offline, with no key: everything here is this process and a folder of the test's own.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from doubles import Script
from licet import ModelTool, PathPolicy, Principal, Runtime, ToolCapability
from licet.agents.loop import loop
from licet.bundles import GROUPS
from licet.model.paths import RunMode
from licet.model.tool import BUILTIN_GROUPS, Annotations, ToolSpec
from licet.testing import RecordingLedger

READERS = ("ls", "find", "grep", "read")
EDITORS = ("write", "edit")


def builtins() -> list[ToolSpec]:
    return [spec for group in GROUPS.values() for spec in group()]


def principal(mode: RunMode = "read_only", paths: PathPolicy | None = None) -> Principal:
    return Principal("agent", grants=(*READERS, *EDITORS), mode=mode, paths=paths or PathPolicy.current_project("/p"))


def short(specs: Any) -> tuple[str, ...]:
    return tuple(spec.name.removeprefix("local/") for spec in specs)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project, another root beside it, and a secret in neither, with links that lead there."""
    for folder, text in (("project", "first"), ("other", "second"), ("outside", "secret")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "note.txt").write_text(f"{text}\n")
    (tmp_path / "project" / "link.txt").symlink_to(tmp_path / "outside" / "note.txt")
    (tmp_path / "project" / "linked").symlink_to(tmp_path / "outside")
    return tmp_path


@pytest.mark.requirement("contract.six-tests", "contract.builtin-groups")
def test_tool_groups_expose_current_builtin_surface() -> None:
    assert tuple(GROUPS) == BUILTIN_GROUPS
    assert {name: short(group()) for name, group in GROUPS.items()} == {
        "utility_builtins": (),
        "read_only_builtins": READERS,
        "editing_builtins": EDITORS,
        "shell_builtins": (),
    }
    for name, group in GROUPS.items():
        assert {spec.group for spec in group()} <= {name}
    assert Runtime().specs() == [], "and none of it is there until it is registered"


@pytest.mark.requirement("contract.six-tests", "contract.explicit-metadata", "contract.fields")
def test_current_tool_definitions_declare_runtime_metadata_explicitly() -> None:
    reads = Annotations(read_only=True, destructive=False, open_world=False, idempotent=True)
    edits = Annotations(read_only=False, destructive=True, open_world=False, idempotent=False)
    declared = {
        spec.name.removeprefix("local/"): (
            spec.source, spec.group, spec.category, spec.annotations, spec.execution.mode, spec.execution.timeout_s,
            spec.execution.abortable, spec.path_access, spec.path_arguments,
        )
        for spec in builtins()
    }  # fmt: skip
    reader, editor = ("builtin", "read_only_builtins"), ("builtin", "editing_builtins")
    reads_so = (reads, "parallel", 30.0, True, "danger_full_access", ("/path",))
    edits_so = (edits, "sequential", 30.0, False, "danger_full_access", ("/path",))
    assert declared == {
        "ls": (*reader, "read", *reads_so),
        "find": (*reader, "search", *reads_so),
        "grep": (*reader, "search", *reads_so),
        "read": (*reader, "read", *reads_so),
        "write": (*editor, "write", *edits_so),
        "edit": (*editor, "write", *edits_so),
    }
    for spec in builtins():
        assert callable(spec.handler), "a handler is bound to it"
        assert not spec.schema_inferred
        assert spec.model_tool.name == spec.name
        flags = ToolCapability(read_only=True, idempotent=True), ToolCapability(writes=True, checkpointable=True)
        assert spec.capabilities == flags[spec.group == "editing_builtins"]


@pytest.mark.requirement("contract.six-tests", "contract.provider-sees-model-tool-only")
async def test_provider_visible_tools_do_not_include_runtime_metadata() -> None:
    model = Script()
    async with Runtime(builtins()) as runtime, runtime.run(principal("workspace_write")) as run:
        visible = [spec.model_tool for spec in runtime.tools_for(run.principal)]
        await loop(model, run, visible, "explore")
    ((_, shown),) = model.shown
    assert len(shown) == 6
    for tool in shown:
        assert type(tool) is ModelTool
        assert tool._fields == ("name", "description", "input_schema", "strict")
        wire = json.dumps([tool.name, tool.description, tool.input_schema.copy(), tool.strict])
        for fact in (
            "builtin", "read_only", "editing_", "category", "path_access", "danger_full_access", "current_project",
            "annotations", "destructive", "idempotent", "open_world", "timeout", "abortable", "parallel", "sequential",
            "capabilit", "checkpoint", "handler",
        ):  # fmt: skip
            assert fact not in wire, f"{tool.name} tells a provider {fact!r}"


@pytest.mark.requirement("contract.six-tests", "mode.visibility", "mode.hidden-call-refused")
async def test_provider_visible_editing_tools_depend_on_run_mode(project: Path, ledger: RecordingLedger) -> None:
    paths = PathPolicy.current_project(project / "project")
    async with Runtime(builtins(), ledger=ledger) as runtime:
        assert short(runtime.tools_for(principal("read_only", paths))) == READERS
        assert short(runtime.tools_for(principal("workspace_write", paths))) == READERS + EDITORS
        assert short(runtime.tools_for(principal("danger_full_access", paths))) == READERS + EDITORS
        for name in ("write", "local/write", "WRITE", "edit", "local/edit"):
            hidden = await runtime.call(principal("read_only", paths), name, {"path": "new.txt", "content": "x"})
            assert (hidden.success, hidden.effect) == (False, "none")
        assert not (project / "project" / "new.txt").exists()
        seen = await runtime.call(principal("workspace_write", paths), "write", {"path": "new.txt", "content": "x"})
        assert seen.success
    assert (project / "project" / "new.txt").read_text() == "x"
    assert ledger.kinds.count("tool.refused") == 5


@pytest.mark.requirement("contract.six-tests", "path.policies", "path.same-tools-any-policy")
async def test_path_access_policies_enforce_current_project_and_allowed_roots(project: Path) -> None:
    first, second, outside = (str(project / name / "note.txt") for name in ("project", "other", "outside"))
    escapes = ["../outside/note.txt", "link.txt", "linked/note.txt", "./../outside/note.txt"]
    one = PathPolicy.current_project(project / "project")
    both = PathPolicy.allowed_roots(project / "project", project / "other")
    async with Runtime(builtins()) as runtime:

        async def reads(mode: RunMode, paths: PathPolicy, path: str) -> bool:
            return (await runtime.call(principal(mode, paths), "read", {"path": path})).success

        for path, in_project, in_roots in (
            ("note.txt", True, True),
            (first, True, True),
            (second, False, True),
            ("../other/note.txt", False, False),
            (outside, False, False),
            *((path, False, False) for path in escapes),
        ):
            for mode in ("read_only", "workspace_write", "danger_full_access"):
                assert await reads(mode, one, path) is in_project, path  # type: ignore[arg-type]
                assert await reads(mode, both, path) is in_roots, path  # type: ignore[arg-type]
                assert not await reads(mode, PathPolicy.none(), path), path  # type: ignore[arg-type]
        for path in (first, second, outside, str(project / "project" / "link.txt")):
            assert await reads("danger_full_access", PathPolicy.danger_full_access(), path)
        refused = await runtime.call(principal("workspace_write", one), "write", {"path": escapes[0], "content": "x"})
        assert (refused.code, refused.effect) == ("path_violation", "none")
    assert (project / "outside" / "note.txt").read_text() == "secret\n"


@pytest.mark.requirement("contract.six-tests", "path.relative-base")
async def test_relative_path_resolution_follows_the_active_path_policy_base(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "outside")
    first, second = project / "project", project / "other"
    policies: list[tuple[RunMode, PathPolicy, str]] = [
        ("read_only", PathPolicy.current_project(first), "first"),
        ("read_only", PathPolicy.allowed_roots(first, second), "first"),
        ("read_only", PathPolicy.allowed_roots(second, first), "second"),
        ("danger_full_access", PathPolicy.danger_full_access(), "secret"),
    ]
    async with Runtime(builtins()) as runtime:
        for mode, paths, text in policies:
            for path in ("note.txt", "./note.txt"):
                result = await runtime.call(principal(mode, paths), "read", {"path": path})
                assert text in json.dumps(result.unwrap()), "the project root, the first root, the working directory"
