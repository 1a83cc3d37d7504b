"""A project folder, and each file tool called in it as the corridor does."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from licet.bundles.files import tools
from licet.errors import LicetError
from licet.model.context import CallContext
from licet.model.paths import PathPolicy
from licet.model.tool import ToolSpec
from licet.workspace.workspace import Workspace

Call = Callable[..., dict[str, Any]]


class Holder:
    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace


class Project:
    """A folder of files, and the tools of one run in it. What a tool gives has to fit its output schema."""

    def __init__(self, root: Path, policy: PathPolicy) -> None:
        self.root = root
        self.workspace = Workspace(policy)
        self.specs: dict[str, ToolSpec] = {spec.name.removeprefix("local/"): spec for spec in tools()}

    def file(self, path: str, content: str | bytes = "") -> Path:
        whole = self.root / path
        whole.parent.mkdir(parents=True, exist_ok=True)
        whole.write_bytes(content.encode() if isinstance(content, str) else content)
        return whole

    def context(self, deadline: float | None = None) -> CallContext:
        return CallContext("call", "run", deadline, Holder(self.workspace))

    def __call__(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        from jsonschema_rs import Draft202012Validator
        from orjson import dumps

        spec = self.specs[tool]
        Draft202012Validator(dict(spec.input_schema)).validate(arguments)
        assert spec.handler is not None
        result: dict[str, Any] = spec.handler(context=self.context(), **arguments)
        assert spec.output_schema is not None
        Draft202012Validator(dict(spec.output_schema)).validate(result)
        assert len(dumps(result)) < 4 * 1024 * 1024
        return result

    def reason(self, tool: str, /, **arguments: Any) -> str:
        """Why a call fails."""
        with pytest.raises(LicetError) as failed:
            self(tool, **arguments)
        return str(getattr(failed.value, "reason", ""))


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    root = tmp_path / "project"
    root.mkdir()
    made = Project(root, PathPolicy.current_project(root))
    yield made
    made.workspace.close()
