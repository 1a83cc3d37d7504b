"""Between lookup and judgement: what no model may set is taken out of a call, or refuses it."""

from typing import NamedTuple

from ..model.call import ToolCall
from ..policy.judge import Arguments
from ..profiles.fields import Fields
from ..profiles.scrub import scrubbed
from ..profiles.withheld import denied
from ..schema.canonical import freeze
from ..schema.pointer import legible


class Kept(NamedTuple):
    """A call as it is judged, approved, recorded and run. ``removed`` are pointers to what was taken out."""

    call: ToolCall
    arguments: Arguments
    removed: tuple[str, ...] = ()


def kept_from_model(call: ToolCall, arguments: Arguments, guard: Fields, *, refuses: bool) -> Kept:
    """A refusal is a problem of the arguments: it comes after grant and mode, and before validation."""
    if arguments is None or call.problem is not None:
        return Kept(call, arguments)
    found = scrubbed(arguments, guard)
    if found.problem:
        return Kept(call._replace(problem=denied(found.at, found.problem)), arguments)
    if not found.removed:
        return Kept(call, arguments)
    if refuses:
        deny = denied(found.removed[0], "it is not a model's to set; leave it out")
        return Kept(call._replace(problem=deny), arguments)
    payload, fresh = freeze(found.arguments, limit_bytes=len(call.payload))
    return Kept(call._replace(payload=payload), fresh, tuple(map(legible, found.removed)))


__all__ = ["Kept", "kept_from_model"]
