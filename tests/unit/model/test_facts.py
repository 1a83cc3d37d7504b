"""Facts are frozen to the bottom, and say at once what is wrong with them."""

import copy
import dataclasses
import pickle
from pathlib import Path
from typing import Any

import pytest

from licet import GrantSet, ModelTool, PathPolicy, Principal, ToolCall, ToolCapability, ToolSpec
from licet.errors import BY_CODE, ConfigurationError, LicetError, RefusedError, ToolError, error_for
from licet.model.json_object import JsonObject
from licet.model.paths import narrower
from licet.model.tool import Annotations, Execution


@pytest.mark.requirement("capability.flags")
def test_the_flags_are_six_and_reading_excludes_writing_and_checkpoints() -> None:
    assert [field.name for field in dataclasses.fields(ToolCapability)] == [
        "read_only", "writes", "checkpointable", "idempotent", "unsafe", "human_approval_required",
    ]  # fmt: skip
    assert not any(dataclasses.asdict(ToolCapability()).values())
    for flag in ("writes", "checkpointable"):
        with pytest.raises(ConfigurationError, match=f"read_only and {flag}"):
            ToolCapability(read_only=True, **{flag: True})
        with pytest.raises(ConfigurationError):
            dataclasses.replace(ToolCapability(read_only=True), **{flag: True})
        with pytest.raises(ConfigurationError):
            dataclasses.replace(ToolCapability(**{flag: True}), read_only=True)
    for flag in ("idempotent", "unsafe", "human_approval_required"):
        assert ToolCapability(read_only=True, **{flag: True}).read_only
    assert ToolCapability(unsafe=True).asks
    assert ToolCapability(human_approval_required=True).asks
    assert not ToolCapability(writes=True).asks


@pytest.mark.requirement("contract.fields")
def test_a_spec_declares_every_field_of_the_contract_and_its_handler_is_no_part_of_it() -> None:
    wanted = {
        "name", "description", "title", "input_schema", "output_schema", "source", "group", "category", "annotations",
        "capabilities", "execution", "path_access", "path_arguments", "tool_type", "schema_inferred", "metadata",
        "handler",
    }  # fmt: skip
    assert wanted <= {field.name for field in dataclasses.fields(ToolSpec)}
    assert {field.name for field in dataclasses.fields(Annotations)} == {
        "read_only", "destructive", "open_world", "idempotent",
    }  # fmt: skip
    assert Annotations() == Annotations(read_only=None, destructive=None, open_world=None, idempotent=None)
    assert {field.name for field in dataclasses.fields(Execution)} == {"mode", "timeout_s", "abortable", "inline"}
    bare = ToolSpec(name="t")
    assert ToolSpec(name="t", handler=print) == bare == ToolSpec(name="local/t")
    assert hash(bare) == hash(ToolSpec(name="t", handler=print))
    assert "print" not in repr(ToolSpec(name="t", handler=print))
    assert ToolSpec(name="t", handler=print).without_code().handler is None
    with pytest.raises(TypeError):
        ToolSpec("t")  # type: ignore[misc]


@pytest.mark.requirement("contract.provider-sees-model-tool-only")
def test_the_model_facing_part_holds_no_runtime_fact() -> None:
    spec = ToolSpec(name="t", description="Does it.", group="editing_builtins", metadata={"secret": 1}, handler=print)
    assert spec.model_tool == ModelTool("local/t", "Does it.", JsonObject({"type": "object"}), False)
    assert "secret" not in repr(spec.model_tool)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"name": "no name"}, "tool's name"),
        ({"source": "local"}, "source"),
        ({"category": "other"}, "category"),
        ({"tool_type": "x"}, "tool_type"),
        ({"path_access": "all"}, "path_access"),
        ({"path_arguments": ("path",), "path_access": "current_project"}, "JSON pointers"),
        ({"path_arguments": ("/path",)}, "without path access"),
        ({"description": "x" * 16_385}, "16384 bytes"),
        ({"description": None}, "description"),
        ({"input_schema": {"x": {1, 2}}}, "JSON object"),
        ({"input_schema": "[1]"}, "JSON object"),
        ({"metadata": {"x": float("nan")}}, "JSON object"),
    ],
)
def test_a_spec_that_contradicts_itself_says_where(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        ToolSpec(**{"name": "t", **fields})
    with pytest.raises(ConfigurationError):
        dataclasses.replace(ToolSpec(name="t"), **fields)


@pytest.mark.parametrize("timeout_s", [0, -1, 3601, float("nan"), float("inf"), "5", None])
def test_a_timeout_is_a_number_of_seconds(timeout_s: Any) -> None:
    with pytest.raises(ConfigurationError, match="timeout_s"):
        Execution(timeout_s=timeout_s)
    with pytest.raises(ConfigurationError, match="mode"):
        Execution(mode="both")  # type: ignore[arg-type]


def test_a_fact_is_frozen_to_the_bottom() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "string"}}}
    spec = ToolSpec(name="t", input_schema=schema)
    schema["properties"]["x"]["type"] = "integer"  # type: ignore[index]
    spec.input_schema["properties"]["x"]["type"] = "number"
    assert spec.input_schema["properties"]["x"]["type"] == "string"
    call = ToolCall("c", "r", Principal("p"), "local/t", b'{"a":{"b":1}}')
    call.arguments["a"]["b"] = 2
    assert call.arguments == {"a": {"b": 1}}
    for fact in (spec, Principal("p", grants=["t"]), PathPolicy.none(), GrantSet.full(), ToolCapability(), call):
        field = dataclasses.fields(fact)[0].name if dataclasses.is_dataclass(fact) else fact._fields[0]
        with pytest.raises(AttributeError):
            setattr(fact, field, "other")
        assert copy.deepcopy(fact) == pickle.loads(pickle.dumps(fact)) == fact


def test_a_json_object_is_text_that_reads_like_a_mapping() -> None:
    made = JsonObject({"b": [1], "a": "é"})
    assert made.json == '{"a":"é","b":[1]}'.encode()
    assert (len(made), list(made), made["b"], dict(made)) == (2, ["a", "b"], [1], {"a": "é", "b": [1]})
    assert made == {"a": "é", "b": [1]} == JsonObject(made.json)
    assert made != {"a": 1}
    assert made != 7
    assert hash(made) == hash(JsonObject({"a": "é", "b": [1]}))
    assert JsonObject.of(made) is made
    assert pickle.loads(pickle.dumps(made)) == made
    with pytest.raises(AttributeError, match="cannot be changed"):
        made.json = b"{}"
    deep: dict[str, Any] = {}
    deep["x"] = deep
    for wrong in ("[1]", "1", "{", b"\xff", {"x": object()}, {"x": float("inf")}, deep, {"x": "\ud800"}):
        with pytest.raises(ConfigurationError, match="JSON object"):
            JsonObject(wrong)  # type: ignore[arg-type]


# --- principals and paths ---


def test_a_principal_says_what_is_wrong_with_it() -> None:
    for fields, told in (
        ({"name": ""}, "1 to 256"),
        ({"name": "x" * 257}, "1 to 256"),
        ({"name": 7}, "1 to 256"),
        ({"grants": "read"}, r"grants=\['read'\]"),
        ({"grants": ["no name"]}, "tool's name"),
        ({"grants": [7]}, "text"),
        ({"mode": "write"}, "run mode"),
        ({"paths": PathPolicy.danger_full_access()}, "danger_full_access"),
        ({"paths": PathPolicy.danger_full_access(), "mode": "workspace_write"}, "danger_full_access"),
    ):
        with pytest.raises(ConfigurationError, match=told):
            Principal(**{"name": "p", **fields})  # type: ignore[arg-type]
    bare = Principal("p")
    assert (bare.mode, bare.paths, bare.grants, bare.grant_sets) == ("read_only", PathPolicy.none(), frozenset(), ())
    full = Principal("p", grants=["a", GrantSet.full(), GrantSet.full()], mode="danger_full_access")
    assert (full.grants, full.grant_sets) == ({"local/a"}, (GrantSet.full(),))
    assert full.holding(["local/b"]).grants == {"local/a", "local/b"}
    assert full.holding(["local/b"]).mode == "danger_full_access"


def test_a_path_policy_takes_as_many_roots_as_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert PathPolicy.current_project(".").roots == (str(tmp_path),)
    assert PathPolicy.allowed_roots(tmp_path, "/b/../c").roots == (str(tmp_path), "/c")
    for made in (
        lambda: PathPolicy("everything"),  # type: ignore[arg-type]
        lambda: PathPolicy("none", ("/a",)),
        lambda: PathPolicy("current_project", ("/a", "/b")),
        lambda: PathPolicy("current_project"),
        lambda: PathPolicy("danger_full_access", ("/a",)),
        lambda: PathPolicy("current_project", ("relative",)),
        lambda: PathPolicy("current_project", ("/a\0b",)),
        lambda: PathPolicy.current_project(""),
        lambda: PathPolicy.current_project("a\0b"),
        lambda: PathPolicy.allowed_roots(),
        lambda: PathPolicy.allowed_roots(*(f"/{n}" for n in range(65))),
        lambda: PathPolicy.current_project(b"/a"),  # type: ignore[arg-type]
    ):
        with pytest.raises(ConfigurationError):
            made()


@pytest.mark.requirement("path.policies")
def test_the_narrower_of_principal_and_tool_wins_and_no_mode_widens_either() -> None:
    none, full = PathPolicy.none(), PathPolicy.danger_full_access()
    one, two = PathPolicy.current_project("/a"), PathPolicy.allowed_roots("/a", "/b")
    first_of_two = PathPolicy.current_project("/a")
    table: dict[tuple[PathPolicy, str], PathPolicy] = {
        (none, "none"): none, (none, "current_project"): none, (none, "allowed_roots"): none,
        (none, "danger_full_access"): none, (one, "none"): none, (one, "current_project"): one,
        (one, "allowed_roots"): one, (one, "danger_full_access"): one, (two, "none"): none,
        (two, "current_project"): first_of_two, (two, "allowed_roots"): two, (two, "danger_full_access"): two,
        (full, "none"): none, (full, "current_project"): none, (full, "allowed_roots"): none,
        (full, "danger_full_access"): full,
    }  # fmt: skip
    for (policy, access), left in table.items():
        assert narrower(policy, access) == left, (policy, access)  # type: ignore[arg-type]


# --- errors ---


def test_every_code_names_one_class_and_the_first_branch_says_whether_anything_happened() -> None:
    assert len({cls.code for cls in BY_CODE.values()}) == len(BY_CODE)
    for code, cls in BY_CODE.items():
        error = error_for(code, "what happened", tool_name="local/t", reason="why")
        assert type(error) is cls
        assert isinstance(error, LicetError)
        assert str(error) == "what happened"
        if isinstance(error, ToolError):
            assert (error.tool_name, error.error_type, error.details, error.reason) == (
                "local/t", cls.__name__, "what happened", "why",
            )  # fmt: skip
    own = error_for("office_hours", "closed", tool_name="local/t")
    assert isinstance(own, RefusedError)
    assert type(own).__name__ == "RuleViolation"


def test_an_error_is_also_what_python_calls_it() -> None:
    for code, python in (
        ("not_granted", PermissionError), ("unknown_tool", KeyError), ("invalid_arguments", ValueError),
        ("timeout", TimeoutError), ("transport", ConnectionError), ("registration", ValueError),
        ("configuration", ValueError), ("path_violation", PermissionError), ("approval_denied", PermissionError),
    ):  # fmt: skip
        error = BY_CODE[code]("the message")
        assert isinstance(error, python)
        assert str(error) == "the message", "not quoted as a KeyError does, not numbered as an OSError"
