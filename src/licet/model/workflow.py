"""What a task has come to: its plan, its people, its sub-tasks. Facts; whoever applies a command makes new ones."""

import json
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Literal, Protocol

Role = Literal["assignee", "reporter", "watcher", "admin"]
Standing = Literal["open", "input_required", "done", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a plan. ``output`` is the text that completed it, None before."""

    name: str
    description: str
    depends_on: tuple[str, ...] = ()
    output: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    """Somebody who takes part: a person or an agent."""

    id: str
    role: Role
    kind: Literal["person", "agent"] = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What was asked of a participant. Only an answer that names the nonce, from that participant, is one."""

    nonce: str
    task: str
    participant: str
    text: str
    options: tuple[str, ...] = ()
    answer: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A piece of work. A sub-task has a ``parent``, and an ``agent`` or a ``participant`` who does it."""

    id: str
    name: str
    goal: str
    acceptance_criteria: tuple[str, ...] = ()
    parent: str | None = None
    step: str | None = None
    agent: str | None = None
    participant: str | None = None
    standing: Standing = "open"
    result: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedSkill:
    """A skill that was loaded, as it was then. ``tools`` are those that waited for it."""

    name: str
    digest: str
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSurface:
    """What was shown to people: the messages of one ``emit_ui``, as canonical JSON."""

    call: str
    messages: str


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Everything that a workflow knows. ``root`` is the id of its first task, ``applied`` counts commands.

    ``behind`` are canonical names of tools, each of which waits until a skill that names it is loaded.
    """

    root: str
    tasks: tuple[Task, ...]
    plan: tuple[Step, ...] = ()
    participants: tuple[Participant, ...] = ()
    questions: tuple[Question, ...] = ()
    skills: tuple[LoadedSkill, ...] = ()
    surfaces: tuple[ShownSurface, ...] = ()
    applied: int = 0
    behind: tuple[str, ...] = ()

    @property
    def waiting(self) -> frozenset[str]:
        """Tools that nobody who works on it may call now, whatever was granted: no loaded skill names them."""
        return frozenset(self.behind).difference(*(skill.tools for skill in self.skills))

    def document(self) -> dict[str, Any]:
        """All of it as plain JSON. What is about tools behind skills is there where any are."""
        told = asdict(self)
        if not self.behind:
            del told["behind"]
            for skill in told["skills"]:
                del skill["tools"]
        return told

    def digest(self) -> str:
        """Equal exactly where two states are: SHA-256 over the canonical JSON."""
        text = json.dumps(self.document(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return "sha256:" + sha256(text.encode()).hexdigest()


class TaskView(Protocol):
    """What a tool may know of the task that its run works on. It comes from the run, never from arguments."""

    @property
    def id(self) -> str:
        """Of the task that is worked on."""
        ...

    @property
    def actor(self) -> str:
        """The participant for whom the run acts; an agent never acts as its starter."""
        ...

    @property
    def state(self) -> State:
        """As it stands at the beginning of the turn."""
        ...
