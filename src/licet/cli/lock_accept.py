"""``licet lock --accept``: shows what changed, asks, and pins exactly what was shown."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from .exits import DONE, REFUSED

if TYPE_CHECKING:
    from ..project.drift import Drift
    from ..project.listing import Listed
    from ..project.locked import Lock
    from .lock_file import LockFile


def accept(file: "LockFile", target: str, digest: str | None, *, json: bool) -> int:
    """The server is listed once: what is shown, asked about and written is one listing."""
    from . import output
    from .lock_report import told

    server, tool = file.named(target)
    found = _listed(file, server)
    drifts = _drifts(file.lock, server, tool, found)
    if not drifts:
        if json:
            output.document({"accepted": False, "drift": [], "digest": None})
        else:
            output.line(f"{target}: as pinned, there is nothing to accept")
        return DONE
    lock = _accepted(file.lock, server, tool, drifts, found)
    wanted = _digest(lock, server, tool, drifts)
    said = _said(target, drifts, wanted, digest, quiet=json)
    if said:
        file.write(lock)
    if json:
        output.document({"accepted": said, "drift": [told(drift) for drift in drifts], "digest": wanted})
    elif said:
        output.line(f"{target}: pinned as shown, {wanted}")
        dropped = [drift.name for drift in drifts if drift.tool and drift.state == "changed"]
        if dropped:
            output.say(f"licet: what licet.yaml says of {', '.join(dropped)} counts again after licet lock --classify")
    return DONE if said else REFUSED


def difference(drifts: "Sequence[Drift]") -> str:
    """All of it: in words, and as a diff of the lock's own text."""
    from .lock_report import words

    parts = []
    for drift in drifts:
        parts.append(f"{drift.name} ({drift.state}, {drift.kind})\n")
        parts += [f"  {text}\n" for text in words(drift)]
        parts.append(f"\n{drift.diff}\n")
    return "".join(parts)


def _listed(file: "LockFile", server: str) -> "Listed | None":
    """None where the configuration has this server no more, so that nothing is started."""
    from ..project.listing import Listed
    from .lock_listing import asked

    if server not in file.servers:
        return None
    answers, problems = asked(file, [server])
    for problem in problems.values():
        raise problem
    answer = answers[server]
    if not isinstance(answer, Listed):
        raise answer.error
    return answer


def _drifts(lock: "Lock", server: str, tool: str, found: "Listed | None") -> "list[Drift]":
    from ..project.drift import server_drift
    from ..project.survey import undeclared

    if found is None:
        if tool:
            raise ConfigurationError(f"{server} is not in the configuration any more; accept that for the whole server")
        return [*undeclared(lock, server).drifts]
    known = lock.servers.get(server)
    drifts = server_drift(server, known, found.server, found.unusable)
    if not tool:
        return drifts
    if tool in found.unusable and (known is None or tool not in known.tools):
        raise ConfigurationError(f"{server}.{tool} cannot be used: {found.unusable[tool]}")
    if tool not in found.server.tools and (known is None or tool not in known.tools):
        raise ConfigurationError(f"{server} has no tool {tool!r}, listed or locked")
    return [drift for drift in drifts if drift.tool == tool]


def _accepted(lock: "Lock", server: str, tool: str, drifts: "Sequence[Drift]", found: "Listed | None") -> "Lock":
    from ..project.relock import accepting_server, accepting_tool

    if found is None or not tool:
        return accepting_server(lock, server, None if found is None else found.server)
    return accepting_tool(lock, drifts[0], found.server)


def _digest(lock: "Lock", server: str, tool: str, drifts: "Sequence[Drift]") -> str:
    """What names exactly this acceptance: the new definition, or the whole server as it would be locked."""
    from ..project.drift import server_digest

    if tool or server not in lock.servers:
        return drifts[0].digest
    return server_digest(lock.servers[server])


def _said(target: str, drifts: "Sequence[Drift]", wanted: str, digest: str | None, *, quiet: bool) -> bool:
    from . import output
    from .ask import ask

    shown = difference(drifts)
    if digest is None:
        question = (
            f"\n{shown}\n  as a whole: {wanted}\n"
            "Type yes to pin exactly this, anything else to leave the lock as it is: "
        )
        said = ask(question)
        if said is not None:
            if not said:
                output.say("licet: refused, the lock is as it was")
            return said
    if not quiet:
        output.write("".join(output.visible(line) + "\n" for line in shown.split("\n")[:-1]))
    if digest == wanted:
        return True
    why = "nobody is at a terminal to say yes" if digest is None else f"{digest} is not the digest of what changed"
    output.say(f"licet: refused, the lock is as it was: {why}")
    output.say(f"licet: licet lock --accept {target} --digest {wanted} pins exactly this")
    return False


__all__ = ["accept", "difference"]
