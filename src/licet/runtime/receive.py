"""Room 1. Freezes what was asked for; what is wrong with it walks on, so that it is refused in order and recorded."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Protocol

import orjson

from ..errors import ConfigurationError
from ..model.call import ToolCall
from ..model.names import MAX_NAME, canonical
from ..model.principal import Principal
from ..model.verdict import Deny
from ..schema.canonical import NotJson, freeze, freeze_text
from .limits import Limits

_MINTED = re.compile(r"(?:[A-Za-z0-9_-]+\.)?r[0-9a-f]{16}-\d+\.\d+", re.ASCII)
_CALL_ID = re.compile(r"[A-Za-z0-9_.:-]{1,128}", re.ASCII)

_canonical = lru_cache(maxsize=4096)(canonical)
_new = tuple.__new__  # every call makes a ToolCall: this is half the price of the NamedTuple's constructor

Arguments = Mapping[str, Any] | str | bytes | None
CALL_ID_RULE = "a call id is 1 to 128 of the characters A-Z a-z 0-9 _ . : -"


def is_minted(call_id: str) -> bool:
    """Whether a run makes ids of this form."""
    return ":" not in call_id and _MINTED.fullmatch(call_id) is not None


class Caller(Protocol):
    """Whose call it is: a run."""

    id: str
    principal: Principal

    def mint(self) -> str: ...


def receive(
    name: str, arguments: Arguments, call_id: str | None, run: Caller, limits: Limits
) -> tuple[ToolCall, dict[str, Any] | None]:
    """The call, its arguments as canonical JSON; and a copy of them for the corridor alone, None if unreadable.

    Touches nothing and never raises for what a model wrote.
    """
    problem = None
    read: dict[str, Any] | None = None
    try:
        tool = _canonical(name) if type(name) is str else canonical(name)
    except ConfigurationError as exc:
        tool, problem = _no_name(name), Deny("unknown_tool", str(exc))
    try:
        if type(arguments) is dict:
            payload, read = freeze(arguments, limit_bytes=limits.arguments_bytes)
        else:
            payload, read = _frozen(arguments, limits.arguments_bytes)
    except NotJson as exc:
        payload = orjson.dumps({"unreadable": _shown(arguments, limits.refused_text_bytes)})
        problem = problem or Deny("invalid_arguments", f"the arguments are not a JSON object: {exc}")
    named = call_id is not None
    if call_id is None:
        call_id = run.mint()
    elif type(call_id) is not str or not _CALL_ID.fullmatch(call_id):
        problem = problem or Deny("invalid_arguments", CALL_ID_RULE, reason="call_id")
        call_id, named = run.mint(), False
    return _new(ToolCall, (call_id, run.id, run.principal, tool, payload, problem, named)), read


def _frozen(arguments: Any, limit_bytes: int) -> tuple[bytes, dict[str, Any]]:
    read: Any
    if isinstance(arguments, str | bytes):
        payload, read = freeze_text(arguments, limit_bytes=limit_bytes)
        if isinstance(read, dict):
            return payload, read
        arguments = read
    elif arguments is None:
        return b"{}", {}
    elif isinstance(arguments, Mapping):
        try:
            arguments = dict(arguments)
        except Exception as exc:
            raise NotJson("", f"the mapping raised {type(exc).__name__}") from exc
        return freeze(arguments, limit_bytes=limit_bytes)
    raise NotJson("", f"an object is needed, not {type(arguments).__name__}")


def _no_name(name: object) -> str:
    """What is no name, as text that is none either: cut short, it might be the name of a tool."""
    shown = _shown(name, MAX_NAME)
    return f"{shown}…" if isinstance(name, str | bytes) and shown != name else shown


def _shown(arguments: object, limit_bytes: int) -> str:
    """The beginning of what cannot be read, as text that JSON can hold. Nothing of it is called or iterated."""
    if isinstance(arguments, bytes):
        return arguments[:limit_bytes].decode("utf-8", "replace")
    if isinstance(arguments, str):
        return arguments[:limit_bytes].encode("utf-8", "replace").decode()
    return f"<{type(arguments).__name__}>"
