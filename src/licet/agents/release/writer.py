"""The script ``release-notes``: plan, look, have it checked, ask which version, show and write."""

import json
from typing import Any

from ...model.call import Request
from .history import History, from_git_log, from_log, next_versions, tags_of, unreleased, version_of
from .notes import Notes, headings, markdown, page, sorted_under
from .script import Asking, ask, ask_all, text_of

SKILL = "release-notes"
STYLE = "headings.md"
CHECKER = "release-checker"

STEPS = (
    ("look", "Read what changed since the last release", ()),
    ("check", "Let somebody else look at what is left to do", ("look",)),
    ("ask", "Ask which version this will be", ("look",)),
    ("write", "Put the changes under their headings, and show them", ("check", "ask")),
)
_MANIFESTS = ("pyproject.toml", "package.json", "Cargo.toml", "setup.cfg")
_TAGS = ".git/refs/tags/"
_MOST_TAGS = 40
_CHANGELOG = "CHANGELOG.md"


def write_notes(stands: dict[str, Any], offered: frozenset[str]) -> Asking[str]:
    """From wherever it stands, to the notes."""
    done = {step["step"]: step["output"] for step in stands.get("plan", ()) if step["output"] is not None}
    if not stands.get("plan"):
        yield from _begin()
    if "look" not in done:
        done["look"] = yield from _look(offered)
    if "check" not in done:
        if not stands.get("subtasks"):
            yield from _delegate()
        done["check"] = yield from _finish("check", _checked(stands))
    if "ask" not in done:
        if not stands.get("questions"):
            yield from _ask(done["look"], _person(stands))
        done["ask"] = yield from _finish("ask", _answer(stands))
    style = yield from ask("load_skill_resource", "write.style", name=SKILL, kind="references", resource=STYLE)
    notes = _notes(done, text_of(style))
    if "write" not in done:
        if "emit_ui" in offered:
            yield from ask("emit_ui", "write.page", messages=page(notes))
        yield from _finish("write", f"{notes.title}: {notes.told_since}")
    return markdown(notes)


def _begin() -> Asking[None]:
    steps = [{"name": name, "description": told, "depends_on": list(needs)} for name, told, needs in STEPS]
    yield from ask_all(
        Request("create_plan", {"steps": steps}, "begin.plan"),
        Request("load_skill", {"name": SKILL}, "begin.skill"),
    )


def _look(offered: frozenset[str]) -> Asking[str]:
    """What changed, as the text that the step keeps."""
    top = yield from ask("ls", "look.top", path=".")
    names = {entry["name"] for entry in (top.output.get("entries", ()) if top.success else ())}
    history = (yield from _history(offered)) if ".git" in names else History("", ())
    wanted = [name for name in (*_MANIFESTS, _CHANGELOG) if name in names]
    read = yield from ask_all(*(Request("read", {"path": name}, f"look.{name}") for name in wanted))
    texts = dict(zip(wanted, map(text_of, read), strict=True))
    listed = unreleased(texts.pop(_CHANGELOG, ""))
    found = {
        "since": history.since,
        "subjects": list(dict.fromkeys((*listed, *history.subjects))),
        "version": version_of(texts.values()) or history.since,
    }
    while len(json.dumps(found)) > 3_900:  # a step keeps 4,000 characters
        found["subjects"] = found["subjects"][1:]
    return (yield from _finish("look", json.dumps(found, ensure_ascii=True)))


def _history(offered: frozenset[str]) -> Asking[History]:
    """By a git server's log if one is granted; else by the file tools, out of git's own log of its head."""
    inside = yield from ask("ls", "look.git", path=".git")
    names = {entry["name"] for entry in (inside.output.get("entries", ()) if inside.success else ())}
    found = yield from ask("find", "look.tags", pattern="*", path=_TAGS.rstrip("/"), limit=200)
    named = list(found.output.get("paths", ())) if found.success else []
    wanted = named[-_MOST_TAGS:]
    wanted += [".git/packed-refs"] if "packed-refs" in names else []
    wanted += [".git/logs/HEAD"] if "logs" in names else []
    read = yield from ask_all(*(Request("read", {"path": path}, f"look.git.{at}") for at, path in enumerate(wanted)))
    texts = dict(zip(wanted, map(text_of, read), strict=True))
    log, packed = texts.pop(".git/logs/HEAD", ""), texts.pop(".git/packed-refs", "")
    tags = tags_of({path.removeprefix(_TAGS): text for path, text in texts.items()}, packed)
    server = next((name for name in sorted(offered) if name.rpartition(".")[2] == "git_log"), None)
    if server is not None:
        told = yield from ask(server, "look.log", repo_path=".", max_count=100)
        if told.success:
            return from_git_log(text_of(told), tags)
    return from_log(log, tags)


def _delegate() -> Asking[None]:
    yield from ask(
        "spawn_subtask",
        "check.spawn",
        name="Check what is left",
        goal="Say what is left to do before a release: marks in the code, and files that ought to be there.",
        acceptance_criteria=["It says how many TODO and FIXME there are", "It names what is missing"],
        agent=CHECKER,
        step="check",
    )


def _ask(look: str, person: str) -> Asking[None]:
    options = list(next_versions(str(_facts(look).get("version", ""))))
    question = "Which version will this be?"
    yield from ask("ask_participant", "ask.version", participant_id=person, question=question, options=options)


def _finish(step: str, output: str) -> Asking[str]:
    yield from ask("complete_step", f"{step}.done", step=step, output=output)
    return output


def _checked(stands: dict[str, Any]) -> str:
    part = next(iter(stands.get("subtasks", ())), None)
    if part is None or part["standing"] != "done":
        return "nobody could look at what is left to do"
    return str(part["result"])


def _answer(stands: dict[str, Any]) -> str:
    asked = next(iter(stands.get("questions", ())), None)
    return "unreleased" if asked is None else str(asked["answer"])


def _person(stands: dict[str, Any]) -> str:
    return next(str(one["id"]) for one in stands["participants"] if one["kind"] == "person")


def _notes(done: dict[str, str], style: str) -> Notes:
    facts = _facts(done["look"])
    subjects = [str(subject) for subject in facts.get("subjects", ())]
    return Notes(done["ask"], str(facts.get("since", "")), sorted_under(headings(style), subjects), done["check"])


def _facts(look: str) -> dict[str, Any]:
    try:
        found = json.loads(look)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


__all__ = ["CHECKER", "SKILL", "STEPS", "write_notes"]
