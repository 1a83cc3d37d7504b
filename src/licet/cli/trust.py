"""``licet trust``: show what a configuration would start and grant, and take a person's yes to exactly that."""

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError
from .exits import DONE, FOUND, REFUSED

if TYPE_CHECKING:
    from ..policy.operator import Rule, Word
    from ..project.agent import Agent, Grant
    from ..project.config import Project
    from ..project.declared import Declared
    from ..project.snapshot import Snapshot


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", metavar="FILE", help="the configuration; without it licet.yaml, here or above")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--yes", action="store_true", help="do not ask; where there is no terminal nobody can be asked")
    what.add_argument("--list", action="store_true", help="what was trusted, and whether it is as it was")
    what.add_argument("--revoke", action="store_true", help="take the yes back")
    parser.epilog = "0 trusted; 1 with --list: something is not as it was; 2 it cannot be read; 3 nobody said yes"


def run(arguments: argparse.Namespace) -> int:
    if arguments.list:
        return _list()
    if arguments.revoke:
        return _revoke(arguments.config)
    return _trust(arguments.config, arguments.yes)


def _trust(named: str | None, sure: bool) -> int:
    from ..project import trust
    from ..project.config import load
    from ..project.snapshot import snapshot
    from . import output
    from .ask import ask, somebody
    from .configured import configuration
    from .state import folder

    looked_at = snapshot(configuration(named))
    project = load(looked_at.path, looked_at.content)
    changed = trust.changes(looked_at, folder())
    if changed == []:
        output.say(f"licet: {looked_at.path} is trusted already, as it is")
        return DONE
    asks = not sure and somebody()
    page = "".join(f"{output.visible(line)}\n" for line in _page(project, looked_at, changed or [], whole=asks))
    if not asks:
        output.write(page)
    if not sure:
        # the question holds all of it, so that nobody says yes to what went into a pipe
        answer = ask(f"{page}{_sum(project, looked_at)}Type yes to trust exactly this, anything else not to: ")
        if answer is None:
            raise ConfigurationError("there is no terminal to ask at; look at the above, then use --yes")
        if not answer:
            output.say("licet: nothing was trusted")
            return REFUSED
    trust.record(looked_at, folder())
    output.say(f"licet: {looked_at.path} is trusted, until it or a file with it changes")
    return DONE


def _list() -> int:
    from ..project import trust
    from . import output
    from .state import folder

    rows = []
    for held in trust.records(folder()):
        if not held.path.is_file():
            became = "gone"
        else:
            became = "as it was" if trust.is_trusted(held.path, folder()) else "changed"
        rows.append((str(held.path), became, str(len(held.digests))))
    output.table(("configuration", "is", "files"), rows, whole=("is", "files"))
    return FOUND if any(became == "changed" for _, became, _ in rows) else DONE


def _revoke(named: str | None) -> int:
    from ..project import trust
    from . import output
    from .configured import configuration
    from .state import folder

    path = configuration(named)
    was = trust.revoke(path, folder())
    output.say(f"licet: {path} is {'trusted no more' if was else 'not trusted, and was not'}")
    return DONE


def _sum(project: "Project", looked_at: "Snapshot") -> str:
    """What a long page, scrolled away, was about."""
    servers = ", ".join(server.id for server in project.servers) or "none"
    agents, files = ", ".join(project.agents) or "none", len(looked_at.digests)
    return f"In all: servers {servers}; agents {agents}; files {files}.\n"


def _page(project: "Project", looked_at: "Snapshot", changed: list[str], *, whole: bool) -> Iterator[str]:
    """``whole``: for eyes that decide, with values in clear, so that nothing hides by looking like a secret."""
    yield str(looked_at.path)
    yield from _part("changed since it was trusted", changed)
    yield from _part("starts or reaches", [line for server in project.servers for line in _server(server, whole)])
    yield from _part(
        "says of tools",
        [
            f"{name}: {_facts({k: v for k, v in word._asdict().items() if v is not None})}"
            for name, word in project.words
        ],
    )
    yield from _part("lets", [line for agent in project.agents.values() for line in agent_lines(agent)])
    yield from _part("lets, in a cast", list(cast_lines(looked_at)))
    yield from _part("pins", list(_pins(looked_at)))
    yield from _part("is trusted with", list(_files(looked_at)))


def _part(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield f"  {title}"
        yield from (f"    {line}" for line in lines)


def _server(server: "Declared", whole: bool) -> Iterator[str]:
    from shlex import join

    from ..project.secret import looks_secret

    def written(name: str, value: str) -> str:
        return "(a secret in clear)" if looks_secret(name, value) and not whole else value

    if server.url:
        yield f"{server.name}: {server.url}"
    else:
        yield f"{server.name}: {join((server.command, *server.args))}"
    if server.cwd:
        yield f"  in the folder {server.cwd}"
    for name, value in (*server.env.items(), *server.headers.items()):
        yield f"  {name}={written(name, value)}"
    if server.variables:
        yield f"  it is given your {', '.join(server.variables)}"


def agent_lines(agent: "Agent") -> Iterator[str]:
    """What an agent may do."""
    roots = ", ".join(agent.roots) or "no folder"
    yield f"{agent.name}: {agent.mode}, {roots}"
    for grant in agent.tools:
        yield f"  {_grant(grant)}"
    yield from (f"  all that match {pattern}" for pattern in agent.globs)
    yield from (f"  the group {group}" for group in agent.groups)
    if agent.engine is not None:
        yield f"  the profile {agent.engine.profile.name} on {agent.engine.server or 'the server of the contract'}"


def cast_lines(looked_at: "Snapshot") -> Iterator[str]:
    """The same of each manifest; one that cannot be used grants nothing, and says why."""
    from ..agents.cast.handlers import HANDLERS
    from ..agents.explore.explorer import HANDLER
    from ..agents.release.models import NAMES
    from ..agents.work.handler import WORKER
    from ..project.manifest import FOLDER
    from ..project.manifest_file import load
    from ..project.shelf import ENDING

    for name in sorted(looked_at.digests):
        folder, _, file = name.rpartition("/")
        if folder == FOLDER and file.endswith(ENDING):
            stem = file.removesuffix(ENDING)
            try:
                held = load(looked_at.read(name), name, stem=stem, handlers=[*HANDLERS, HANDLER, WORKER], models=NAMES)
            except ConfigurationError as exc:
                yield f"nothing: {exc}"
            else:
                yield from agent_lines(held.agent)
                yield from (f"  emits {kind}" for kind in held.may_emit)


def _word(word: "Word") -> str:
    return _facts({key: value for key, value in word._asdict().items() if value is not None})


def _grant(grant: "Grant") -> str:
    from ..model.names import short

    rules = [f"{rule.pointer} {_facts(_said(rule))}" for rule in grant.rules]
    return short(grant.tool) + (f" where {'; '.join(rules)}" if rules else "")


def _said(rule: "Rule") -> dict[str, Any]:
    from ..policy.argument_rule import ABSENT

    parts = ("one_of", "pattern", "least", "most", "under")
    said = {part: getattr(rule, part) for part in parts if getattr(rule, part) is not None}
    if rule.equals is not ABSENT:
        said["equals"] = rule.equals
    return {**said, "optional": True} if rule.optional else said


def _pins(looked_at: "Snapshot") -> Iterator[str]:
    from ..project.lock import beside
    from ..project.lock_reader import parse

    if looked_at.lock is None:
        yield "nothing: there is no licet.lock"
        return
    for name, server in parse(looked_at.lock, str(beside(looked_at.path))).servers.items():
        yield f"{name}: {len(server.tools)} tools"


def _files(looked_at: "Snapshot") -> Iterator[str]:
    for name, told in sorted(looked_at.digests.items()):
        yield f"{name}  {told[:19]}"


def _facts(said: dict[str, Any]) -> str:
    import json

    return ", ".join(f"{key}: {json.dumps(value)}" for key, value in said.items())


__all__ = ["configure", "run"]
