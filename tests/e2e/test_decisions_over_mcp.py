"""The decision engine as its callers meet it: seven tools on real data, over standard input and output and HTTP."""

import contextlib
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from decisions_served import SEVEN, answer, laid_out, over_http, over_stdio, session

from engines import DOUBTFUL, SURE
from hooks import Hook, hook

if TYPE_CHECKING:
    from mcp.client.session import ClientSession

RECEIPT = {
    "decision_id",
    "webhook_url",
    "execution_status",
    "response_code",
    "executed_at",
    "policy_snapshot_id",
    "schema_snapshot_id",
    "manifest_version",
    "payload_summary",
    "safety_overridden",
}
ACTIONS = {
    "actions": [
        {"name": "restock", "variables": [{"name": "gain", "low": 0, "high": 10}], "objective": "gain"},
        {"name": "wait", "variables": [{"name": "gain", "low": 0, "high": 4}], "objective": "gain"},
    ]
}


@contextlib.asynccontextmanager
async def _served(way: str, folder: Path, target: Hook, name: str = "NORTH_TRADER") -> "AsyncIterator[ClientSession]":
    file = laid_out(folder, target.port, stdio=name)
    if way == "stdio":
        async with over_stdio(file) as held:
            yield held
    else:
        async with over_http(file) as ports, session(ports.url, name) as held:
            yield held


@pytest.mark.requirement("engine.seven-tools")
@pytest.mark.requirement("engine.recommend-without-simulation")
@pytest.mark.requirement("engine.receipt")
@pytest.mark.parametrize("way", ["stdio", "http"])
async def test_a_story_from_question_to_receipt_on_real_data(way: str, tmp_path: Path) -> None:
    with hook() as target:
        async with _served(way, tmp_path, target) as held:
            assert [tool.name for tool in (await held.list_tools()).tools] == SEVEN
            contract = await answer(held, "get_contract", {})
            assert [tool["name"] for tool in contract["tools"]] == SEVEN
            asked = {"dataset_id": "orders", "metric": "amount", "aggregation": "sum", "group_by": ["region"]}
            assert (await answer(held, "query_data", asked))["rows"] == [["north", 30], ["south", 50]]
            assert "day" not in str(contract["datasets"])
            hidden = await answer(held, "query_data", {**asked, "group_by": ["day"]})
            never = await answer(held, "query_data", {**asked, "group_by": ["dax"]})
            assert hidden["error"]["code"] == never["error"]["code"]
            recommended = await answer(held, "recommend", ACTIONS)
            assert recommended["ranking"][0]["action"] == "restock"
            assert "run_id" not in recommended
            assert _lines(tmp_path, "run") == 0
            run = await answer(held, "simulate", SURE)
            assert _lines(tmp_path, "run") == 1
            plan = await answer(held, "plan_decision", {"run_ids": [run["run_id"]]})
            assert plan["executes"] is False
            logged = await answer(held, "log_decision", {"chosen_action": "proceed", "run_id": run["run_id"]})
            assert set(logged) == {"decision_id", "created_at"}
            assert target.accepted == 0
            arguments = {"decision_id": logged["decision_id"], "webhook_url": target.url, "metadata": {"order": 7}}
            receipt = await answer(held, "execute_decision", arguments)
            assert set(receipt) == RECEIPT
            assert (receipt["execution_status"], receipt["response_code"]) == ("delivered", 200)
            target.answer = lambda connection: connection.sendall(b"HTTP/1.1 500 No\r\n\r\n")
            other = await answer(held, "log_decision", {"chosen_action": "proceed", "run_id": run["run_id"]})
            failed = await answer(held, "execute_decision", {**arguments, "decision_id": other["decision_id"]})
            assert set(failed) == RECEIPT
            assert (failed["execution_status"], failed["response_code"]) == ("failed", 500)


def _lines(folder: Path, table: str) -> int:
    with contextlib.closing(sqlite3.connect(folder / "memory.sqlite")) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


@pytest.mark.requirement("engine.blocked-names-one-gate")
async def test_a_gate_is_an_error_result_that_names_itself(tmp_path: Path) -> None:
    risky = {**SURE, "variables": [{"name": "gain", "low": -60, "high": 140}]}
    with hook() as target:
        async with _served("stdio", tmp_path, target) as held:
            for scenario, gates in ((SURE, ("", "idempotency")), (DOUBTFUL, ("confidence",)), (risky, ("risk_floor",))):
                run = await answer(held, "simulate", scenario)
                logged = await answer(held, "log_decision", {"chosen_action": "proceed", "run_id": run["run_id"]})
                for gate in gates:
                    arguments = {"decision_id": logged["decision_id"], "webhook_url": target.url}
                    result = await held.call_tool("execute_decision", arguments)
                    assert result.is_error is bool(gate)
                    if gate:
                        assert result.structured_content is not None
                        error = result.structured_content["error"]
                        assert set(error) == {"status", "code", "gate", "message"}
                        assert (error["status"], error["code"]) == (409, f"execution_blocked_{gate}")
                        assert error["gate"] == gate
        assert len(target.requests) == 1


@pytest.mark.requirement("engine.execute-server-side-gates")
@pytest.mark.parametrize("name", ["NORTH_ANALYST", "NORTH_IDLE"])
async def test_without_role_or_enablement_the_tool_is_not_there(name: str, tmp_path: Path) -> None:
    from mcp.shared.exceptions import MCPError

    with hook() as target:
        async with _served("stdio", tmp_path, target, name) as held:
            assert [tool.name for tool in (await held.list_tools()).tools] == SEVEN[:-1]
            assert "execute_decision" not in str((await answer(held, "get_contract", {}))["tools"])
            run = await answer(held, "simulate", SURE)
            logged = await answer(held, "log_decision", {"chosen_action": "proceed", "run_id": run["run_id"]})
            told = []
            for tool in ("execute_decision", "execute_decisiom"):
                for more in ({}, {"enabled": True}, {"role": "trader"}, {"force": True}):
                    arguments = {"decision_id": logged["decision_id"], "webhook_url": target.url, **more}
                    with pytest.raises(MCPError) as unknown:
                        await held.call_tool(tool, arguments)
                    told.append((unknown.value.error.code, str(unknown.value).replace(tool, "TOOL")))
            assert len(set(told)) == 1
        assert target.accepted == 0


@pytest.mark.requirement("engine.execute-server-side-gates")
@pytest.mark.requirement("engine.only-execute-executes")
async def test_a_decision_that_was_not_logged_is_not_executed_and_nothing_else_sends_anything(tmp_path: Path) -> None:
    with hook() as target:
        async with _served("stdio", tmp_path, target) as held:
            for arguments in (
                {"decision_id": "dec_" + "0" * 32},
                {"decision_id": "", "chosen_action": "restock"},
                {"chosen_action": "restock"},
                {},
            ):
                result = await answer(held, "execute_decision", {"webhook_url": target.url, **arguments})
                assert result["error"]["code"] in ("decision_not_found", "invalid_arguments")
            run = await answer(held, "simulate", SURE)
            for tool, arguments in (
                ("get_contract", {}),
                ("query_data", {"dataset_id": "orders", "aggregation": "count"}),
                ("recommend", ACTIONS),
                ("plan_decision", {"run_ids": [run["run_id"]], "context": target.url}),
                ("log_decision", {"chosen_action": target.url, "run_id": run["run_id"], "rationale": target.url}),
            ):
                assert "error" not in await answer(held, tool, arguments)
                refused = await answer(held, tool, {**arguments, "webhook_url": target.url})
                assert refused["error"]["code"] == "invalid_arguments"
        assert target.accepted == 0


async def test_two_tenants_over_http_have_nothing_of_each_other(tmp_path: Path) -> None:
    with hook() as target:
        async with (
            over_http(laid_out(tmp_path, target.port)) as ports,
            session(ports.url, "NORTH_TRADER") as north,
            session(ports.url, "SOUTH_TRADER") as south,
        ):
            for mine, theirs in ((north, south), (south, north)):
                run = await answer(theirs, "simulate", SURE)
                logged = await answer(theirs, "log_decision", {"chosen_action": "a", "run_id": run["run_id"]})
                for tool, arguments, code in (
                    ("plan_decision", {"run_ids": [run["run_id"]]}, "run_not_found"),
                    ("log_decision", {"chosen_action": "a", "run_id": run["run_id"]}, "run_not_found"),
                    (
                        "execute_decision",
                        {"decision_id": logged["decision_id"], "webhook_url": target.url},
                        "decision_not_found",
                    ),
                ):
                    refused = await answer(mine, tool, arguments)
                    assert (refused["error"]["code"], refused["error"]["status"]) == (code, 404)
        assert target.accepted == 0


async def test_a_request_without_a_key_or_with_anothers_session_reaches_nothing(tmp_path: Path) -> None:
    import httpx2

    from engines import ENVIRON

    accepts = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
    opening = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    with hook() as target:
        async with over_http(laid_out(tmp_path, target.port)) as ports, httpx2.AsyncClient(timeout=20) as web:

            async def post(token: str | None, body: object, **more: str) -> "httpx2.Response":
                key = {} if token is None else {"Authorization": f"Bearer {token}"}
                return await web.post(ports.url, json=body, headers={**accepts, **key, **more})

            for token in (None, "x", "x" * 20, ENVIRON["OPERATOR"], ENVIRON["NORTH_TRADER"] + "x"):
                refused = await post(token, opening)
                assert refused.status_code == 401
                assert refused.json()["error"]["code"] == "key_unknown"
            opened = await post(ENVIRON["NORTH_TRADER"], opening)
            held = {"mcp-session-id": opened.headers["mcp-session-id"], "mcp-protocol-version": "2025-06-18"}
            assert (await post(ENVIRON["NORTH_TRADER"], listing, **held)).status_code == 200
            assert (await post(ENVIRON["SOUTH_TRADER"], listing, **held)).status_code == 404
            assert (await post(None, listing, **held)).status_code == 401
