"""Whether the user looked at a configuration and said yes to it, as it is now.

A record in the user's own state holds the path and a digest of each file of a snapshot. What changes, appears, goes
or moves is untrusted until it is looked at again. Nothing of a configuration is used before.
"""

import json
import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ConfigurationError
from .lock import FILE as LOCK
from .place import quoted
from .snapshot import Snapshot, digest, snapshot
from .whole_file import contents
from .whole_file import replace as put

RECORDS = "trusted"
"""The folder of the records, in the user's state."""

_VERSION = 1
_MOST_RECORD_BYTES = 16 * 1024 * 1024
_MOST_NAMED = 5


class Record(NamedTuple):
    """What was said yes to."""

    path: Path
    digests: Mapping[str, str]


def is_trusted(path: Path, state: Path) -> bool:
    """Whether what stands there is what was trusted. False for what cannot be read."""
    try:
        require_trusted(path, state)
    except ConfigurationError:
        return False
    return True


def require_trusted(path: Path, state: Path) -> Snapshot:
    """The bytes that were trusted: use these, and do not read the files again.

    Raises:
        ConfigurationError: they were not, or were changed since; the message names ``licet trust``.
    """
    now = snapshot(path)
    changed = changes(now, state)
    if changed is None:
        raise ConfigurationError(
            f"{now.path} is not trusted: it names programs to start; look at it, then run `{_command(now.path)}`"
        )
    if changed:
        more = f" and {len(changed) - _MOST_NAMED} more" if len(changed) > _MOST_NAMED else ""
        raise ConfigurationError(
            f"{now.path} is not trusted any more: {', '.join(changed[:_MOST_NAMED])}{more}; "
            f"look at what changed, then run `{_command(now.path)}`"
        )
    return now


def changes(now: Snapshot, state: Path) -> list[str] | None:
    """What became other than it was trusted, one phrase for each file; None: it never was.

    Raises:
        ConfigurationError: others may write into the state, or it lies in the project.
    """
    held = _record(now.path, state)
    return None if held is None else list(_changes(held, now))


def trust(path: Path, state: Path) -> Snapshot:
    """Trust what stands there now: for what was just written. What a person looked at goes to ``record``.

    Raises:
        ConfigurationError: it cannot be read, or the state cannot be written.
    """
    now = snapshot(path)
    record(now, state)
    return now


def record(looked_at: Snapshot, state: Path) -> None:
    """Trust exactly this snapshot, whatever stands there by now.

    Raises:
        ConfigurationError: the state cannot be written, or lies inside what is to be trusted.
    """
    file = _file(looked_at.path, state)
    text = json.dumps(
        {"version": _VERSION, "path": str(looked_at.path), "files": dict(looked_at.digests)}, indent=1, sort_keys=True
    )
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _refuse_open(file.parent)
        put(file, text + "\n")
    except OSError as exc:
        raise ConfigurationError(f"{file}: it cannot be written: {exc.strerror}; set LICET_HOME") from exc


def rewritten(held: Snapshot, name: str, content: bytes, state: Path) -> Snapshot:
    """Trust what was trusted, with other bytes in one file: what licet itself wrote there, ``licet.lock`` for instance.

    Nothing is read again, so that what somebody else changes meanwhile stays untrusted.
    """
    after = replace(held, digests={**held.digests, name: digest(content)})
    if name == held.path.name:
        after = replace(after, content=content)
    elif name == LOCK:
        after = replace(after, lock=content)
    record(after, state)
    return after


def revoke(path: Path, state: Path) -> bool:
    """Take the yes back. False: there was none."""
    try:
        _file(_real(path), state).unlink()
    except FileNotFoundError:
        return False
    return True


def records(state: Path) -> list[Record]:
    """Everything that was trusted, by path, whatever became of it."""
    try:
        names = os.listdir(state / RECORDS)
    except OSError:
        return []
    found = [_parsed(state / RECORDS / name) for name in names if name.endswith(".json")]
    return sorted((held for held in found if held is not None), key=lambda held: held.path)


def _record(path: Path, state: Path) -> Record | None:
    file = _file(path, state)
    if not file.parent.is_dir():
        return None
    _refuse_open(file.parent)
    held = _parsed(file)
    return held if held is not None and held.path == path else None


def _parsed(file: Path) -> Record | None:
    """None: there is no record, or none that can be read, which is no yes."""
    try:
        raw = contents(file, _MOST_RECORD_BYTES)
        told: Any = json.loads(raw) if raw is not None else None
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(told, dict) or told.get("version") != _VERSION:
        return None
    path, files = told.get("path"), told.get("files")
    if not isinstance(path, str) or not isinstance(files, dict):
        return None
    return Record(Path(path), files)


def _file(path: Path, state: Path) -> Path:
    """Raises ConfigurationError: whoever wrote the configuration could have written the record too."""
    folder, held = path.parent, Path(os.path.realpath(state))
    home = Path(os.path.realpath(os.path.expanduser("~")))
    if held.is_relative_to(folder) and not home.is_relative_to(folder):
        raise ConfigurationError(
            f"the state folder {held} lies inside the project {folder}, which would vouch for itself; set LICET_HOME"
        )
    return held / RECORDS / f"{sha256(os.fsencode(path)).hexdigest()}.json"


def _refuse_open(folder: Path) -> None:
    told = os.stat(folder)
    if told.st_uid != os.geteuid() or told.st_mode & 0o022:
        raise ConfigurationError(f"others may write into {folder}, so nothing in it is your word; chmod 700 {folder}")


def _changes(held: Record, now: Snapshot) -> Iterator[str]:
    for name in sorted({*held.digests, *now.digests}):
        if held.digests.get(name) == now.digests.get(name):
            continue
        shown = name if name.isprintable() else quoted(name)
        if name not in now.digests:
            yield f"{shown} is gone"
        else:
            yield f"{shown} changed" if name in held.digests else f"{shown} is new"


def _command(path: Path) -> str:
    try:
        here = path == Path(os.path.realpath(os.getcwd())) / "licet.yaml"
    except OSError:
        here = False
    return "licet trust" if here else f"licet trust --config {shlex.quote(str(path))}"


def _real(path: Path) -> Path:
    return Path(os.path.realpath(os.path.dirname(os.path.abspath(path)))) / path.name


__all__ = [
    "RECORDS",
    "Record",
    "changes",
    "is_trusted",
    "record",
    "records",
    "require_trusted",
    "revoke",
    "rewritten",
    "trust",
]
