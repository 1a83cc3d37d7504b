"""What is raced: each operation of the workspace and of the files bundle, and the naive ones that must lose."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from campaign.paths.world import OUTSIDE, Scene
from licet.bundles.files import tools
from licet.errors import LicetError
from licet.model.context import CallContext
from licet.workspace.workspace import Workspace

ESCAPED = "escaped"

Act = Callable[[Workspace, Scene, int], object]


class Operation(NamedTuple):
    """``act`` gives all that it learned. ``weight`` is how often it is tried, compared with the others."""

    name: str
    act: Act
    weight: int


class _Holder(NamedTuple):
    workspace: Workspace


_HANDLERS: dict[str, Callable[..., Any]] = {spec.name.removeprefix("local/"): spec.handler for spec in tools()}  # type: ignore[misc]


def outcome(operation: Operation, workspace: Workspace, scene: Scene, number: int) -> str:
    """``done``, ``refused`` or ``escaped``; anything else that is raised is a finding, and comes as its own name."""
    try:
        learned = operation.act(workspace, scene, number)
    except LicetError:
        return "refused"
    except Exception as exc:
        return f"raised {type(exc).__name__}: {exc}"
    return ESCAPED if OUTSIDE[:7].decode() in str(learned) else "done"


# --- the workspace ---


def _open_file(workspace: Workspace, scene: Scene, number: int) -> bytes:
    opened = workspace.open_file(scene.file)
    try:
        return os.read(opened.handle, 100)
    finally:
        os.close(opened.handle)


def _open_any(workspace: Workspace, scene: Scene, number: int) -> list[str]:
    opened, _ = workspace.open_any(scene.folder)
    try:
        return os.listdir(opened.handle)
    finally:
        os.close(opened.handle)


def _scan(workspace: Workspace, scene: Scene, number: int) -> list[Any]:
    with workspace.scan(scene.folder) as (folder, entries):
        learned: list[Any] = [entry.name for entry in entries]
        for name in ("file", "OUTSIDE"):
            try:
                entered = workspace.enter_file(folder.handle, name)
            except OSError:
                continue
            if entered is not None:
                learned.append(os.read(entered[0], 100))
                os.close(entered[0])
        return learned


def _stat(workspace: Workspace, scene: Scene, number: int) -> object:
    """How long a file is tells where it lies, unless it has a name on either side: that much may be known of it."""
    status = workspace.stat(scene.file)
    return OUTSIDE if status.st_size == len(OUTSIDE) and scene.attack != "hard_link" else None


def _read_bytes(workspace: Workspace, scene: Scene, number: int) -> bytes:
    return workspace.read_bytes(scene.file).data


def _write_bytes(workspace: Workspace, scene: Scene, number: int) -> object:
    return workspace.write_bytes(f"{scene.target}/new{number % 8}", b"written")


def _write_over(workspace: Workspace, scene: Scene, number: int) -> object:
    """What is there is read first, as a diff would tell it."""
    with workspace.target(f"{scene.target}/file") as target:
        before = target.read(100)
        workspace.replace(target, b"inside")
    return before


def _make_folders(workspace: Workspace, scene: Scene, number: int) -> None:
    path = f"{scene.target}/made{number % 4}"
    workspace.write_bytes(f"{path}/more/new", b"written", create_parents=True)
    with workspace.target(f"{path}/more/new") as target:
        if target.exists:
            target.remove()
    workspace.remove_empty_folder(f"{path}/more")
    workspace.remove_empty_folder(path)


def _undo(workspace: Workspace, scene: Scene, number: int) -> object:
    token = workspace.journal.checkpoint(f"{scene.target}/undo{number % 4}")
    written = workspace.write_bytes(f"{scene.target}/undo{number % 4}", b"written")
    workspace.journal.restore(token)
    return token, written


# --- the bundle ---


def _tool(name: str, **arguments: Any) -> Act:
    """A tool of the bundle; ``{file}`` and the like in its path are the scene's."""

    def act(workspace: Workspace, scene: Scene, number: int) -> object:
        fill = {"file": scene.file, "folder": scene.folder, "target": scene.target, "number": number % 8}
        told = {key: value.format(**fill) if key == "path" else value for key, value in arguments.items()}
        return _HANDLERS[name](CallContext("c", "r", None, _Holder(workspace)), **told)

    return act


def _edit(workspace: Workspace, scene: Scene, number: int) -> object:
    context = CallContext("c", "r", None, _Holder(workspace))
    path = f"{scene.target}/file"
    edits = [{"old_text": "inside", "new_text": "inside"}]
    _HANDLERS["read"](context, path=path)  # which may be of a file that is only protected from being written
    return _HANDLERS["edit"](context, path=path, edits=edits)


READING = (
    Operation("open_file", _open_file, 40),
    Operation("open_any", _open_any, 20),
    Operation("read_bytes", _read_bytes, 20),
    Operation("scan", _scan, 10),
    Operation("stat", _stat, 5),
    Operation("read", _tool("read", path="{file}"), 10),
    Operation("ls", _tool("ls", path="{folder}"), 5),
    Operation("find", _tool("find", path="{folder}", pattern="**"), 1),
    Operation("find below the root", _tool("find", path=".", pattern="**/OUTSIDE"), 1),
    Operation("grep", _tool("grep", path="{folder}", pattern="[A-Za-z]+"), 1),
    Operation("grep below the root", _tool("grep", path=".", pattern="OUTSIDE"), 1),
)
WRITING = (
    Operation("write_bytes", _write_bytes, 30),
    Operation("target", _write_over, 20),
    Operation("create_parents", _make_folders, 10),
    Operation("checkpoint and restore", _undo, 10),
    Operation("write", _tool("write", path="{target}/tool{number}", content="written"), 15),
    Operation("write over", _tool("write", path="{target}/file", content="inside"), 10),
    Operation("edit", _edit, 10),
)

# --- the control: checked first, opened later ---


def naive_read(root: Path, scene: Scene) -> str:
    """As ``outcome``, of a read whose path is resolved and judged, and then opened by its name."""
    try:
        handle = _naive_open(root, scene, scene.file, os.O_RDONLY)
        try:
            return ESCAPED if os.read(handle, 100) == OUTSIDE else "done"
        finally:
            os.close(handle)
    except OSError:
        return "refused"


def naive_write(root: Path, scene: Scene) -> str:
    """The same for a write: whether it escaped is seen by the guard."""
    try:
        handle = _naive_open(root, scene, f"{scene.target}/file", os.O_WRONLY)
        try:
            os.write(handle, b"written")
        finally:
            os.close(handle)
    except OSError:
        return "refused"
    return "done"


def _naive_open(root: Path, scene: Scene, path: str, flags: int) -> int:
    """Raises PermissionError: it leads outside, or to what is protected, or has a second name."""
    held = os.open(root / scene.held, os.O_PATH)
    try:
        real = (root / path).resolve()
        if not real.is_relative_to(root) or {".licet", ".git"} & set(real.parts) or real.stat().st_nlink > 1:
            raise PermissionError
        return os.open(path.removeprefix(scene.held).lstrip("/"), flags, dir_fd=held)
    finally:
        os.close(held)
