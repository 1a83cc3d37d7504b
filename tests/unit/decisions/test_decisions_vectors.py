"""The gates' vectors of the conformance suite, on this engine and on the suite's reference engine: they end alike."""

import asyncio
import json
import socket
import ssl
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from engines import NoData, caller, settings
from hooks import OK, Hook, certified, hook, says
from licet.conformance.engine import ReferenceEngine
from licet.decisions.engine import Engine
from licet.decisions.error import DecisionError
from licet.model.answer import FailedAnswer

NAME = "hook.example"
BAD = b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"
ABOUT = ("gates.", "admission.", "receipt.")
VECTORS = [
    vector
    for vector in json.loads(files("licet.conformance").joinpath("vectors/profile.json").read_text())["vectors"]
    if vector["id"].startswith(ABOUT)
]


def test_the_suite_has_vectors_about_gates_admission_and_receipts() -> None:
    assert len(VECTORS) >= 20


class Ours:
    """This engine as a vector tells of one: its decisions under the vector's names, its webhook on TLS."""

    def __init__(self, told: dict[str, Any], folder: Path, target: Hook, tls: ssl.SSLContext) -> None:
        limits = {name: told[name] for name in ("min_confidence", "risk_floor") if name in told}
        read = settings(folder, 9, json.dumps(limits), "break_glass_advertised: true\n")
        read = _with_host(read)
        self.target = target
        answer = told.get("webhook", "delivered")
        answers = iter([BAD if answer.startswith("failed") else OK])
        self.target.answer = lambda connection: connection.sendall(next(answers, BAD if answer == "failed" else OK))

        def dial(address: str, port: int, timeout_s: float) -> socket.socket:
            assert (address, port) == ("1.1.1.1", 443)
            return socket.create_connection(("127.0.0.1", target.port), timeout_s)

        self.engine = Engine(read, NoData(), resolve=lambda host, port: ["1.1.1.1"], dial=dial, tls=tls)
        name = "NORTH_IDLE" if not told.get("enabled", True) else "NORTH_TRADER"
        self.caller = caller(read, name if told.get("role", True) else "NORTH_ANALYST")
        self.ids: dict[str, str] = {}
        for one, numbers in told.get("decisions", {}).items():
            self._logged(one, numbers)

    def _logged(self, name: str, told: dict[str, Any]) -> None:
        memory = self.engine._memory
        held = memory.log("north", "key", name, confidence=told.get("confidence"), risk_p5=told.get("risk_p5"))
        self.ids[name] = held.decision_id
        if told.get("delivered"):
            begun, _ = memory.begin(held, "key", {}, lambda decision, standing: None)
            assert begun is not None
            memory.end(begun, "delivered", {})

    async def end(self, tool: str, arguments: dict[str, Any]) -> str:
        for field in ("decision_id", "run_id"):
            if field in arguments:
                arguments = {**arguments, field: self.ids.get(arguments[field], arguments[field])}
        try:
            made = await self.engine.call(self.caller, tool, arguments)
        except DecisionError as exc:
            return "not there" if exc.reason in ("unknown_tool", "invalid_arguments") else exc.reason
        self.ids.setdefault("run-1", made.get("run_id", ""))
        if tool == "log_decision":  # the reference numbers runs and decisions together
            self.ids |= {f"decision-{number}": made["decision_id"] for number in (1, 2)}
        return _ended(made)


def _with_host(read: Any) -> Any:
    from dataclasses import replace

    return replace(read, webhooks=read.webhooks._replace(hosts=frozenset({(NAME, 443)})))


def _ended(made: dict[str, Any]) -> str:
    if "execution_status" in made:
        return f"{sorted(made)} {made['execution_status']} {made['response_code']} {made['safety_overridden']}"
    return "answered"


async def _reference_end(reference: ReferenceEngine, tool: str, arguments: dict[str, Any]) -> str:
    if not reference.advertises(tool) or (tool == "execute_decision" and "webhook_url" not in arguments):
        return "not there"
    try:
        return _ended(await reference.call(tool, arguments))
    except FailedAnswer as exc:
        return str((exc.structured or {})["error"]["code"])


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    return certified(NAME, tmp_path_factory.mktemp("tls"))


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["id"] for vector in VECTORS])
async def test_a_vector_ends_alike_on_both_engines(
    vector: dict[str, Any], tmp_path: Path, tls: tuple[ssl.SSLContext, ssl.SSLContext]
) -> None:
    reference = ReferenceEngine(vector["engine"])
    with hook(says(OK), tls=tls[0]) as target:
        ours = Ours(vector["engine"], tmp_path, target, tls[1])
        for step in vector["steps"]:
            if "list" in step:
                told = [tool.name for tool in ours.engine.tools(ours.caller)]
                assert told == [name for name in told if reference.advertises(name)]
                continue
            calls = [one for one in step.get("together", [step]) for _ in range(one.get("times", 1))]
            asked = [(one["call"], one["arguments"]) for one in calls]
            mine = await asyncio.gather(*(ours.end(*one) for one in asked))
            theirs = await asyncio.gather(*(_reference_end(reference, *one) for one in asked))
            assert sorted(mine) == sorted(theirs)
        assert len(target.requests) == reference.sent
        ours.engine.close()
