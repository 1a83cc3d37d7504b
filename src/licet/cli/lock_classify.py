"""``licet lock --classify``: the operator's words count again for a tool whose change was accepted. Starts nothing."""

from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from .exits import DONE, REFUSED

if TYPE_CHECKING:
    from ..project.locked import LockedTool
    from .lock_file import LockFile


def classify(file: "LockFile", target: str, digest: str | None, *, json: bool) -> int:
    from ..project.relock import classifying
    from . import output

    server, own = file.named(target)
    name = f"{server}.{own}"
    tool = file.lock.tool(name) if own else None
    if tool is None:
        raise ConfigurationError(f"{target!r} is no locked tool; name SERVER.TOOL, such as git.git_log")
    said = not tool.classification_dropped or _said(file, target, name, tool, digest)
    changed = said and tool.classification_dropped
    if changed:
        file.write(classifying(file.lock, name))
    if json:
        output.document({"tool": name, "classified": said, "changed": changed, "digest": tool.pin.whole})
    elif said:
        output.line(f"{name}: what licet.yaml says of it counts{' again' if changed else ''}")
    return DONE if said else REFUSED


def _said(file: "LockFile", target: str, name: str, tool: "LockedTool", digest: str | None) -> bool:
    from ..project.lock_text import of_tool
    from . import output
    from .ask import ask

    if digest is None:
        word = file.project.word_for(name)
        question = (
            f"\n{name} changed, and was accepted as\n{of_tool(tool)}\n\n  licet.yaml says of it: {_told(word)}\n"
            "Type yes to let that count for it as it is now, anything else to leave it unclassified: "
        )
        said = ask(question)
        if said is not None:
            return said
    elif digest == tool.pin.whole:
        return True
    why = "nobody is at a terminal to say yes" if digest is None else f"{digest} is not the digest of {name}"
    output.say(f"licet: refused, the lock is as it was: {why}")
    output.say(f"licet: licet lock --classify {target} --digest {tool.pin.whole} classifies exactly this definition")
    return False


def _told(word: object) -> str:
    said = {key: value for key, value in getattr(word, "_asdict", dict)().items() if value is not None}
    return ", ".join(f"{key}: {str(value).lower()}" for key, value in said.items()) or "nothing"


__all__ = ["classify"]
