"""The operator's port and its command line: what no integration reaches, and what only they open."""

import asyncio
import json
import re
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from decisions_served import SEVEN, answer, command, environ, laid_out, operator, over_http, over_stdio, session

from engines import DOUBTFUL, ENVIRON, SURE, key_id
from hooks import OK, hook
from licet.decisions.memory import Memory

BREAK_GLASS = {"force", "override_safety"}


def _named(value: Any, names: set[str]) -> bool:
    """Whether one of the names stands anywhere in a listing."""
    return any(re.search(rf"\b{name}\b", json.dumps(value)) for name in names)


@pytest.mark.requirement("engine.operator-bypass")
async def test_force_and_override_work_through_the_operators_port_and_nowhere_else(tmp_path: Path) -> None:
    with hook() as target:
        file = laid_out(tmp_path, target.port)
        async with over_http(file) as ports, session(ports.url, "NORTH_TRADER") as held:
            assert not _named([tool.input_schema for tool in (await held.list_tools()).tools], BREAK_GLASS)
            run = await answer(held, "simulate", DOUBTFUL)
            logged = await answer(held, "log_decision", {"chosen_action": "proceed", "run_id": run["run_id"]})
            arguments = {"decision_id": logged["decision_id"], "webhook_url": target.url}
            for more in ({"force": True}, {"override_safety": True}, {"Force": True}, {"override-safety": True}):
                refused = await answer(held, "execute_decision", {**arguments, **more})
                assert refused["error"]["code"] == "invalid_arguments"
            smuggled = await answer(held, "execute_decision", {**arguments, "metadata": {"override_safety": True}})
            assert smuggled["error"]["code"] == "execution_blocked_confidence"
            assert target.accepted == 0

            by_hand = ("execute", logged["decision_id"], "--tenant", "north", "--webhook", target.url)
            assert (await operator(file, ports, *by_hand))[0] == 3
            code, said = await operator(file, ports, *by_hand, "--override-safety")
            assert (code, json.loads(said)["safety_overridden"]) == (0, True)
            code, said = await operator(file, ports, *by_hand, "--override-safety")
            assert (code, json.loads(said)["error"]["gate"]) == (3, "idempotency")
            assert (await operator(file, ports, *by_hand, "--override-safety", "--force"))[0] == 0
            blocked = await answer(held, "execute_decision", arguments)
            assert blocked["error"]["gate"] == "idempotency"
            assert len(target.requests) == 2


@pytest.mark.requirement("engine.execute-server-side-gates")
async def test_a_key_is_switched_by_the_operator_and_by_nobody_else(tmp_path: Path) -> None:
    with hook() as target:
        file = laid_out(tmp_path, target.port)
        async with over_http(file) as ports, session(ports.url, "NORTH_IDLE") as held:
            for names, action in ((SEVEN[:-1], "enable"), (SEVEN, "disable"), (SEVEN[:-1], "enable")):
                assert [tool.name for tool in (await held.list_tools()).tools] == names
                assert (await operator(file, ports, action, key_id("NORTH_IDLE")))[0] == 0
            run = await answer(held, "simulate", SURE)
            logged = await answer(held, "log_decision", {"chosen_action": "proceed", "run_id": run["run_id"]})
            arguments = {"decision_id": logged["decision_id"], "webhook_url": target.url}
            assert (await answer(held, "execute_decision", arguments))["execution_status"] == "delivered"


@pytest.mark.requirement("engine.human-approval-not-a-tool")
async def test_a_plan_is_answered_on_the_operators_port_only(tmp_path: Path) -> None:
    with hook() as target:
        file = laid_out(tmp_path, target.port)
        async with over_http(file) as ports, session(ports.url, "NORTH_TRADER") as held:
            listed = [tool.model_dump(mode="json") for tool in (await held.list_tools()).tools]
            assert [tool["name"] for tool in listed] == SEVEN
            assert not _named(listed, {"plan_hash", "nonce", "approve", "approval", "pending"})
            logged = await answer(held, "log_decision", {"chosen_action": "proceed"})
            asked = (logged["decision_id"], "--tenant", "north", "--webhook", target.url, "--override-safety")
            code, said = await operator(file, ports, "propose", *asked)
            plan = json.loads(said)
            assert code == 0
            assert target.accepted == 0
            for tool in ("approve", "approve_plan", "propose", "execute_plan", "enable"):
                with pytest.raises(Exception, match="Unknown tool"):
                    await held.call_tool(tool, {"plan_hash": plan["plan_hash"], "nonce": plan["nonce"]})

            async def told(*words: str) -> tuple[int, str]:
                code, said = await operator(file, ports, *words)
                value = json.loads(said)
                return code, value["error"]["code"] if "error" in value else value.get("code", "done")

            hash_, nonce = plan["plan_hash"], plan["nonce"]
            assert await told("execute-plan", hash_) == (3, "plan_not_approved")
            assert await told("approve", "sha256:0", nonce) == (3, "plan_not_found")
            assert await told("approve", hash_, "wrong") == (3, "plan_nonce_wrong")
            assert await told("approve", hash_, nonce) == (0, "plan_approved")
            assert await told("reject", hash_, nonce) == (3, "plan_answered")
            assert await told("execute-plan", hash_) == (0, "done")
            assert await told("execute-plan", hash_) == (3, "plan_executed")
        assert len(target.requests) == 1


async def test_the_operators_port_takes_its_own_credential_from_this_machine_and_nothing_else(tmp_path: Path) -> None:
    import httpx2

    right = {"Authorization": f"Bearer {ENVIRON['OPERATOR']}"}
    with hook() as target:
        async with over_http(laid_out(tmp_path, target.port)) as ports, httpx2.AsyncClient(timeout=20) as web:
            url = f"http://127.0.0.1:{ports.operator}"
            for headers in (
                {},
                {"Authorization": f"Bearer {ENVIRON['NORTH_TRADER']}"},
                {"Authorization": "Basic eDp5"},
            ):
                assert (await web.post(f"{url}/v1/keys", json={}, headers=headers)).status_code == 401
            for more in ({"Host": "engine.example.com"}, {"Origin": "http://127.0.0.1"}):
                assert (await web.post(f"{url}/v1/keys", json={}, headers={**right, **more})).status_code == 403
            for path in ("/mcp", "/v1/", "/v1/close", "/v1/keys/", "/", "/v1/__init__"):
                assert (await web.post(url + path, json={}, headers=right)).status_code == 404
            assert (await web.get(f"{url}/v1/keys", headers=right)).status_code == 404
            for content in (b"{", b"[]", b'{"a": 1, "a": 2}', b'{"other": 1}', b"\xff"):
                assert (await web.post(f"{url}/v1/keys", content=content, headers=right)).status_code == 422
            large = b'{"a": "' + b"x" * (2 << 20) + b'"}'
            assert (await web.post(f"{url}/v1/keys", content=large, headers=right)).status_code == 413
            keys = await web.post(f"{url}/v1/keys", json={}, headers=right)
            assert keys.status_code == 200
            assert not any(secret in keys.text for secret in ENVIRON.values())
            assert (await web.post(ports.url, json={}, headers=right)).status_code == 401


async def test_the_engine_on_standard_input_has_its_operators_port_too(tmp_path: Path) -> None:
    with hook() as target:
        async with over_stdio(laid_out(tmp_path, target.port)) as held:
            assert [tool.name for tool in (await held.list_tools()).tools] == SEVEN


def test_the_engine_serves_on_no_port_that_webhooks_go_to_and_on_none_that_is_taken(tmp_path: Path) -> None:
    with hook() as target:
        port = target.port
        file = laid_out(tmp_path, port)
        taken = _serve(file, port)
    free = _serve(file, port)
    assert (taken.returncode, free.returncode) == (4, 2)
    assert "in use" in taken.stderr
    assert f"port {port} is where webhooks go" in free.stderr
    assert "Traceback" not in taken.stderr + free.stderr


def _serve(file: Path, port: int) -> "subprocess.CompletedProcess[str]":
    words = [*command(file, "serve"), "--http", str(port)]
    return subprocess.run(words, env=environ(), capture_output=True, text=True, timeout=60, check=False)


async def test_an_engine_that_is_terminated_keeps_the_end_of_an_execution_first(tmp_path: Path) -> None:
    arrived, leave = threading.Event(), threading.Event()

    def waits(connection: Any) -> None:
        arrived.set()
        leave.wait(20)
        connection.sendall(OK)

    with hook(waits) as target:
        file = laid_out(tmp_path, target.port, policy="{}")
        process = await asyncio.create_subprocess_exec(
            *command(file, "serve"), "--http", "0", env=environ(), stderr=asyncio.subprocess.PIPE
        )
        assert process.stderr is not None
        said = [(await process.stderr.readline()).decode().strip() for _ in range(2)]
        async with session(said[1].rpartition(" ")[2], "NORTH_TRADER") as held:
            logged = await answer(held, "log_decision", {"chosen_action": "proceed"})
            arguments = {"decision_id": logged["decision_id"], "webhook_url": target.url}
            executing = asyncio.create_task(held.call_tool("execute_decision", arguments))
            assert await asyncio.to_thread(arrived.wait, 20)
            process.terminate()
            executing.cancel()
            leave.set()
        assert await process.wait() == 0
        memory = Memory(tmp_path / "memory.sqlite")
        kept = memory.decision("north", logged["decision_id"])
        assert kept is not None
        assert memory.standing(kept) == "delivered"
        memory.close()
