"""What a subject answers to a call, held against what a vector expects."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .execution import Execution
from .listing import acts, plainly
from .subject import UnsupportedError
from .verdict import Found

_SHOWN = 160
"""Characters of an answer in a verdict."""


class Answered(NamedTuple):
    """``name`` is what was called, ``own`` the tool's own name if that is known, which a gateway may say instead.

    ``data`` is the structured result, if the subject gives one.
    """

    name: str
    ok: bool
    content: str
    code: str | None
    data: Any
    own: str = ""


def read(name: str, answer: Any, *, may_act: bool = False, own: str = "") -> Answered:
    """Raises Found: this is no answer, or it acts on a terminal and the tool did not say so."""
    if not isinstance(answer, Mapping):
        raise Found("garbled", f"what came of a call is no object, it is of type {type(answer).__name__}")
    ok, content, code = answer.get("ok"), answer.get("content"), answer.get("code")
    if not isinstance(ok, bool) or not isinstance(content, str) or not isinstance(code, str | None):
        raise Found("garbled", "what came of a call is without ok (true or false) and content (text)")
    acting = next((sign for sign in content if acts(sign) and sign not in name), None)  # a model may read its own words
    if acting is not None and not may_act:
        raise Found("garbled", f"what the model reads holds the control character U+{ord(acting):04X}")
    return Answered(name, ok, content, code, answer.get("data"), own)


def judge(answer: Answered, entered: Sequence[Execution], expect: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    """Hold one answer against ``expect``. ``entered`` are the executions that it caused, ``known`` earlier answers.

    Raises:
        Found: something else came of it.
        UnsupportedError: what is asked for cannot be seen.
    """
    _success(answer, entered, expect)
    _words(answer, expect)
    if "same_denial_as" in expect:
        _same(answer, known[expect["same_denial_as"]])
    if "data" in expect or "data_keys" in expect:
        _data(answer, expect)
    if "gate" in expect:
        _gate(answer, expect["gate"])


def count(entered: Sequence[Execution], expect: Mapping[str, Any]) -> None:
    """Hold the executions of one step against ``expect``. Raises Found."""
    got = [one.arguments for one in entered]
    if "executed" in expect and len(got) != expect["executed"]:
        with_ = f", with {_short(json.dumps(got[-1], ensure_ascii=False))}" if got else ""
        raise Found("failed", f"executed {_times(len(got))} instead of {_times(expect['executed'])}{with_}")
    if "at_most" in expect and len(got) > expect["at_most"]:
        raise Found("failed", f"executed {_times(len(got))}, at most {_times(expect['at_most'])} are right")
    if "received" in expect and not _same_json(got, expect["received"]):
        raise Found("failed", f"the tool was given {_short(json.dumps(got, ensure_ascii=False))}")
    fields = expect.get("received_lacks", ())
    for one in entered:
        smuggled = carried({k: v for k, v in one.arguments.items() if k != FREE}, fields)
        if smuggled is not None:
            raise Found("failed", f"{smuggled!r} of the model's came to {one.tool!r}")
    if "may_receive" in expect:
        for one in got:
            if not any(_same_json(one, right) for right in expect["may_receive"]):
                raise Found("failed", f"the tool was given {_short(json.dumps(one, ensure_ascii=False))}")


def consent(asked: Sequence[Any], expect: Mapping[str, Any]) -> None:
    """Hold what a person was asked about in one step against ``expect``. Raises Found."""
    if "asked" in expect and not _same_json(asked, expect["asked"]):
        told = f"about {_short(json.dumps(asked, ensure_ascii=False))}" if asked else "about nothing"
        right = f"about {_short(json.dumps(expect['asked']))}" if expect["asked"] else "about nothing"
        raise Found("failed", f"asks a person {told} instead of {right}")


def _success(answer: Answered, entered: Sequence[Execution], expect: Mapping[str, Any]) -> None:
    if expect.get("ok") is True and not answer.ok:
        raise Found("failed", f"did not carry out a call that is right: {_short(answer.content)}")
    if answer.ok and expect.get("executed") != 0 and not entered and expect.get("ok") is not None:
        raise Found("lied", "says that the call succeeded, and executed nothing")
    if expect.get("ok") is False and answer.ok:
        if entered or expect.get("executed") != 0:
            raise Found("failed", f"says that it succeeded: {_short(answer.content)}")
        raise Found("lied", f"says that the call succeeded, and executed nothing: {_short(answer.content)}")
    if not answer.ok and not answer.content.strip():
        raise Found("failed", "the model reads nothing of a failure")


def _words(answer: Answered, expect: Mapping[str, Any]) -> None:
    for word in expect.get("content_has", ()):
        if word not in answer.content:
            raise Found("failed", f"the model does not read {word!r} but {_short(answer.content)}")
    for word in expect.get("content_lacks", ()):
        if word in answer.content:
            raise Found("failed", f"the model reads {word!r}")


def _same(answer: Answered, other: Answered) -> None:
    if answer.code != other.code:
        raise Found("failed", f"answers {answer.code!r}, and {other.code!r} for a tool that does not exist")
    mine, its = _without_name(answer), _without_name(other)
    if mine != its:
        raise Found(
            "failed", f"a tool that is hidden is answered {_short(mine)}, one that does not exist {_short(its)}"
        )


def _without_name(answer: Answered) -> str:
    """The text without the tool's name, and without long numbers, which a runtime may draw for each answer."""
    text = answer.content
    for form in (answer.name, json.dumps(answer.name)[1:-1], answer.own):
        text = text.replace(form, "NAME") if form else text
    return re.sub(r"[0-9A-Za-z_-]*\d[0-9A-Za-z_-]{7,}", "N", text)


def data_of(answer: Answered) -> Mapping[str, Any]:
    """Raises UnsupportedError: the subject shows no structured result."""
    value = answer.data
    if value is None:
        try:
            value = json.loads(answer.content)
        except ValueError:
            raise UnsupportedError("it gives no structured result, in which this could be read") from None
    if not isinstance(value, Mapping):
        raise Found("failed", f"the structured result is no object: {_short(json.dumps(value))}")
    return value


def _data(answer: Answered, expect: Mapping[str, Any]) -> None:
    data = data_of(answer)
    keys = expect.get("data_keys")
    if keys is not None and set(data) != set(keys):
        more, less = sorted(set(data) - set(keys)), sorted(set(keys) - set(data))
        raise Found(
            "failed", "; ".join(f"{what}: {', '.join(k)}" for what, k in (("too much", more), ("missing", less)) if k)
        )
    for key, value in expect.get("data", {}).items():
        if not _same_json(data.get(key), value):
            raise Found("failed", f"{key} is {_short(json.dumps(data.get(key)))} instead of {json.dumps(value)}")


GATES = ("idempotency", "confidence", "risk_floor")


def _gate(answer: Answered, gate: str) -> None:
    """Exactly this gate is named, to the model."""
    named = [one for one in GATES if f"execution_blocked_{one}" in answer.content]
    if named != [gate]:
        told = f"names {' and '.join(named)}" if named else f"names no gate: {_short(answer.content)}"
        raise Found("failed", f"{told}, instead of {gate}")


FREE = "metadata"
"""The argument of execute_decision whose content is payload, and never an argument of the engine."""


def carried(value: Any, fields: Sequence[str]) -> str | None:
    """The first member, at any depth, that is called like one of these fields, however it is written."""
    if isinstance(value, Mapping):
        for name, inside in value.items():
            plain = plainly(name)
            if plain in fields:
                return str(name)
            found = carried(inside, fields)
            if found is not None:
                return found
    elif isinstance(value, list):
        return next((found for one in value if (found := carried(one, fields)) is not None), None)
    elif isinstance(value, str) and "{" in value:
        try:
            return carried(json.loads(value), fields)
        except ValueError:
            return None
    return None


def _same_json(one: Any, other: Any) -> bool:
    """Equal as JSON: true is no 1, and 1.0 is the number 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same_json(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same_json, one, other))
    return one == other and (type(one) is type(other) or (_is_number(one) and _is_number(other)))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _times(number: int) -> str:
    return {0: "nothing", 1: "once"}.get(number, f"{number} times")


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


__all__ = ["GATES", "Answered", "consent", "count", "data_of", "judge", "read"]
