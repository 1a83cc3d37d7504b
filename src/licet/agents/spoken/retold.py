"""What a ledger tells of a model's words: the turns of its loops, and whether each digest is the one that was noted."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import orjson

from ...ledger.call import CLOSES, fields_of
from ...model.call import Request
from ...model.entry import Entry
from ..workflow.replay import ReplayError
from .digest import EMPTY, digest_of_failure, digest_of_output, sent_after
from .entries import ANSWERED, ASKED, BEGUN, ENDED


class Asked(NamedTuple):
    """One call of an answer. ``request`` is as the model made it, ``call`` its id on the ledger.

    ``partly`` says that the ledger holds a part of its arguments.
    """

    request: Request
    call: str
    partly: bool


class Turn(NamedTuple):
    """One answer. ``results`` is what was noted of its calls' results, by their place; None: it was not asked again."""

    text: str
    ended: str
    calls: tuple[Asked, ...]
    results: tuple[Mapping[str, Any], ...] | None
    hosted: int = 0


class Retold(NamedTuple):
    """The loops of one agent in one run. ``said`` is what was told first. ``stop`` is how the last one ended, empty if
    it did not.

    ``turns`` are those of the last conversation, ``answers`` counts those of all. ``compared`` counts the digests that
    were compared, and were equal.
    """

    model: str
    said: tuple[tuple[str, str], ...]
    turns: tuple[Turn, ...]
    sent: str
    stop: str
    compared: int
    answers: int


def retold(entries: Iterable[Entry]) -> Retold | None:
    """What the entries of one run tell, in which one agent asks a model; None: no model was asked in it, or none whose
    words are kept. Of several agents it is the first.

    Raises:
        ReplayError: an entry is not what follows from those before it.
    """
    return next(iter(retold_by_agent(entries).values()), None)


def retold_by_agent(entries: Iterable[Entry]) -> dict[str, Retold]:
    """The same for each agent that asked a model: the conversation of one goes on while another has its turn.

    Raises:
        ReplayError: an entry is not what follows from those before it.
    """
    ends: dict[str, dict[str, Any]] = {}
    tellers: dict[str, _Teller] = {}
    for entry in entries:
        body = fields_of(entry.body)
        try:
            if entry.kind in CLOSES:
                for name in ("call", "named"):
                    if name in body:
                        ends.setdefault(str(body[name]), {**body, "kind": entry.kind})
            elif entry.kind in (BEGUN, ASKED, ANSWERED, ENDED):
                teller = tellers.get(entry.actor)
                if teller is None:
                    teller = tellers[entry.actor] = _Teller(ends)
                teller.take(entry, body)
        except (KeyError, TypeError, AttributeError, ValueError) as exc:
            raise ReplayError(entry, "its body has another shape") from exc
    return {actor: teller.told for actor, teller in tellers.items() if teller.model}


class _Teller:
    """``ends`` is shared by all: call id -> the body and the kind of its end."""

    def __init__(self, ends: Mapping[str, dict[str, Any]]) -> None:
        self.model = self.sent = self.stop = ""
        self.said: list[tuple[str, str]] = []
        self.turns: list[Turn] = []
        self.compared = self.answers = 0
        self._ends = ends

    @property
    def told(self) -> Retold:
        counts = (self.compared, self.answers)
        return Retold(self.model, tuple(self.said), tuple(self.turns), self.sent, self.stop, *counts)

    def take(self, entry: Entry, body: Mapping[str, Any]) -> None:
        """One entry further."""
        if entry.kind == BEGUN:
            self._begun(entry, body)
        elif entry.kind == ASKED:
            self._asked(entry, body)
        elif entry.kind == ANSWERED:
            self._answered(entry, body)
        else:
            self.stop = str(body["stop"])

    def _begun(self, entry: Entry, body: Mapping[str, Any]) -> None:
        if body["from"] != EMPTY and body["from"] != self.sent:
            raise ReplayError(entry, f"it goes on from {body['from']}, and what was sent before it is {self.sent}")
        if body["from"] == EMPTY:
            self.turns.clear()
            self.said.clear()
        self.model, self.stop = str(body["model"]), ""
        self.said += ((str(one["role"]), _text(one["text"])) for one in body["said"])
        self.sent = sent_after(body["from"], entry.body)

    def _asked(self, entry: Entry, body: Mapping[str, Any]) -> None:
        results = tuple(body["results"])
        for result in results:
            self._compare(entry, result)
        sent = sent_after(self.sent, *(str(result["digest"]).encode() for result in results))
        if sent != body["sent"]:
            raise ReplayError(entry, f"it says that {body['sent']} was sent; here it is {sent}")
        self.compared += 1
        self.sent = sent
        if self.turns and self.turns[-1].results is None:
            self.turns[-1] = self.turns[-1]._replace(results=results)

    def _answered(self, entry: Entry, body: Mapping[str, Any]) -> None:
        calls = tuple(map(_call, body["calls"]))
        self.answers += 1
        self.turns.append(Turn(_text(body["text"]), str(body["ended"]), calls, None, int(body.get("hosted", 0))))
        self.sent = sent_after(self.sent, entry.body)

    def _compare(self, entry: Entry, result: Mapping[str, Any]) -> None:
        """Whether what was noted of a result is what its call came to."""
        call, code, end = str(result["call"]), result.get("code"), self._ends.get(str(result["call"]))
        if code is not None:
            effects = ("none", "unknown", "done")
            if result["digest"] not in (digest_of_failure(code, one, result.get("reason", "")) for one in effects):
                raise ReplayError(entry, f"what it says of {call} does not fit its digest")
            self.compared += 1
            return
        if end is None or end["kind"] != "tool.completed":
            raise ReplayError(entry, f"it says that {call} gave something, and the ledger does not")
        output = orjson.dumps(end["output"], option=orjson.OPT_SORT_KEYS)
        if digest_of_output(output) == result["digest"]:
            self.compared += 1
        elif not output.startswith(b'{"truncated":'):
            raise ReplayError(
                entry, f"it says that {call} gave {result['digest']}, and the ledger holds another output"
            )


def _call(told: Mapping[str, Any]) -> Asked:
    request = Request(str(told["tool"]), told["arguments"], told.get("id"))
    return Asked(request, str(told["call"]), bool(told.get("partly")))


def _text(told: object) -> str:
    """A text, or the beginning of one that was too long."""
    if isinstance(told, str):
        return told
    start = told["truncated"]["start"] if isinstance(told, dict) else ""
    return f"{start.removeprefix(chr(34))} [...]"


__all__ = ["Asked", "Retold", "Turn", "retold", "retold_by_agent"]
