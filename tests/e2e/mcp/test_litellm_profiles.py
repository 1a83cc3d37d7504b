"""LiteLLM's proxy, with what ``licet litellm write`` writes, over ``licet serve`` before the decision engine.

The engine advertises ``force`` and ``override_safety``. The control points LiteLLM at the engine itself: the linter
refuses that, and the suite goes red on it.
"""

import asyncio
import contextlib
import json
import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from decisions_served import SEVEN, command, laid_out

from engines import DOUBTFUL, ENVIRON
from hooks import Hook, hook
from licet.conformance.http import posted
from licet.conformance.rpc import Client, RpcError
from peers.litellm_proxy import HEADERS, KEY, Proxies, litellm
from peers.serving import Project, laid_down

PROFILES = {"observe": 4, "govern": 6, "execute": 7, "full": 7}
FLAT = [f"algenta_{name}" for name in SEVEN]
UNSAFE = {"force": True, "override_safety": True}


class Shown(NamedTuple):
    """An agent of a profile, as a client of LiteLLM has it. ``proxy`` is the URL, ``target`` where webhooks go."""

    profile: str
    project: Project
    proxy: str
    target: Hook


@contextlib.asynccontextmanager
async def session(url: str) -> AsyncIterator[Client]:
    async with posted(url, HEADERS) as client:
        await client.initialize()
        yield client


def suite(project: Project, url: str, profile: str) -> tuple[int, dict[str, dict[str, str]]]:
    """The exit code of ``licet conformance``, and what it says of each vector."""
    environment = {**project.environment, "CLIENT": f"Bearer {KEY}"}
    chosen = ("--suite", "core", "--suite", "profile", "--profile", profile, "--patience", "60", "--json")
    held = project._replace(environment=environment)
    done = held.licet("conformance", url, *chosen, "--header", "x-litellm-api-key=CLIENT")
    return done.returncode, {one["vector"]: one for one in json.loads(done.stdout)["outcomes"]}


async def answered(client: Client, tool: str, arguments: dict[str, Any]) -> tuple[bool, str]:
    """Whether a call succeeded, and all that is said of it."""
    try:
        result = await client.request("tools/call", {"name": tool, "arguments": arguments})
    except RpcError as exc:
        return False, exc.message
    return result.get("isError") is not True, json.dumps(result)


def engine_file(folder: Path, target: Hook) -> Path:
    folder.mkdir()
    file = laid_out(folder, target.port)
    file.write_text(file.read_text() + "break_glass_advertised: true\n")
    return file


@contextlib.contextmanager
def over_http(file: Path) -> Iterator[str]:
    """The engine's URL, as long as the block runs."""
    words = [*command(file, "serve"), "--http", "0"]
    with subprocess.Popen(words, env={**os.environ, **ENVIRON}, stderr=subprocess.PIPE, text=True) as engine:
        assert engine.stderr is not None
        yield next(line.split()[-1] for line in engine.stderr if line.rstrip().endswith("/mcp"))
        engine.terminate()


def written(held: Project, url: str) -> Path:
    """LiteLLM's configuration, as the command writes it, and as the other command takes it."""
    done = held.licet("litellm", "write", "--agent", "coder", "--url", url, "--no-token")
    assert (done.returncode, done.stderr) == (0, "")
    path = held.folder / "litellm.yaml"
    path.write_text(done.stdout)
    assert linted(held, path, url) == (0, "")
    return path


def linted(held: Project, path: Path, url: str) -> tuple[int, str]:
    done = held.licet("litellm", "lint", str(path), "--agent", "coder", "--url", url)
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def proxies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxies]:
    with litellm(tmp_path_factory.mktemp("litellm")) as made:
        yield made


@pytest.fixture(scope="module", params=PROFILES)
def shown(
    request: pytest.FixtureRequest, proxies: Proxies, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shown]:
    folder = tmp_path_factory.mktemp("engine") / "project"
    with hook() as target:
        words = command(engine_file(folder, target), "serve")
        entry = {"command": words[0], "args": words[1:], "env": {name: f"${{{name}}}" for name in ENVIRON}}
        held = laid_down(folder, {"algenta": entry}, {"profile": request.param}, ENVIRON)
        assert "override_safety" in (folder / "licet.lock").read_text()  # it is advertised
        with held.over_http() as (url, _):
            proxy = proxies.start(written(held, url))
            yield Shown(request.param, held, proxy.url, target)
            proxies.end(proxy)


@pytest.mark.requirement("profile.litellm")
@pytest.mark.requirement("profile.conformance-suite")
def test_the_suites_are_green_on_litellm_and_what_cannot_be_tried_has_a_reason(shown: Shown) -> None:
    code, got = suite(shown.project, shown.proxy, shown.profile)
    assert [one for one in got.values() if one["verdict"] not in ("passed", "not applicable")] == []
    assert code == 0
    passed = {name for name, one in got.items() if one["verdict"] == "passed"}
    assert {name for name in passed if name.startswith(("profile.", "fields."))} == {
        *(f"profile.{shown.profile}", f"fields.shown-{shown.profile}")
    }
    assert passed >= {"arguments.extra", "arguments.schema", "names.unknown", "names.valid", "names.distinct"}
    assert all(one["told"] for one in got.values() if one["verdict"] == "not applicable")


@pytest.mark.requirement("profile.flat-names")
@pytest.mark.requirement("profile.never-model-facing")
def test_a_client_of_litellm_is_shown_exactly_the_profile_under_flat_names_and_no_field(shown: Shown) -> None:
    async def listed() -> list[dict[str, Any]]:
        async with session(shown.proxy) as client:
            return list(await client.list_tools())

    tools = asyncio.run(listed())
    assert sorted(tool["name"] for tool in tools) == sorted(FLAT[: PROFILES[shown.profile]])
    told = json.dumps(tools).casefold()
    assert "force" not in told
    assert "override" not in told


@pytest.mark.requirement("profile.absent-not-hidden")
@pytest.mark.requirement("profile.never-model-facing")
def test_a_client_of_litellm_reaches_no_hidden_tool_and_sets_no_field(shown: Shown) -> None:
    before, tools = len(shown.target.requests), PROFILES[shown.profile]
    gift = {"decision_id": f"dec_{'0' * 32}", "webhook_url": shown.target.url}

    async def tried() -> None:
        async with session(shown.proxy) as client:
            await client.list_tools()
            unknown = await answered(client, "algenta_nobody_has_this", gift)
            for name in FLAT[tools:]:
                denied = await answered(client, name, gift)
                assert denied[0] is False
                assert denied[1].replace(name.removeprefix("algenta_"), "nobody_has_this") == unknown[1]
            for name in (*SEVEN[tools:], *(f"algenta__{one}" for one in SEVEN), "reindex"):
                assert (await answered(client, name, gift))[0] is False
            assert (await answered(client, "algenta_simulate", DOUBTFUL))[0] is True
            for field in UNSAFE:
                ok, said = await answered(client, "algenta_simulate", {**DOUBTFUL, field: True})
                assert (ok, field in said) == (False, True)
            if shown.profile in ("execute", "full"):
                await unopened(client, shown.target)

    asyncio.run(tried())
    assert len(shown.target.requests) == before


@pytest.mark.requirement("profile.never-model-facing")
def test_the_other_doors_of_litellm_show_and_refuse_the_same(shown: Shown) -> None:
    """One server's own endpoint, and its REST routes, which show the tools' own names."""
    import httpx2

    root, tools = shown.proxy.removesuffix("/mcp/"), PROFILES[shown.profile]

    async def tried() -> None:
        async with session(f"{root}/algenta/mcp") as client:
            assert sorted(tool["name"] for tool in await client.list_tools()) == sorted(FLAT[:tools])
        async with httpx2.AsyncClient(headers=HEADERS, trust_env=False, timeout=60) as client:
            listed = await client.get(f"{root}/mcp-rest/tools/list")
            assert sorted(tool["name"] for tool in listed.json()["tools"]) == sorted(SEVEN[:tools])
            assert not any(field in listed.text.casefold() for field in ("force", "override"))
            server = listed.json()["tools"][0]["mcp_info"]["server_id"]

            async def status(name: str, arguments: dict[str, Any]) -> int:
                body = {"server_id": server, "name": name, "arguments": arguments}
                return (await client.post(f"{root}/mcp-rest/tools/call", json=body)).status_code

            assert await status("simulate", DOUBTFUL) == 200
            assert await status("simulate", {**DOUBTFUL, "force": True}) == 403
            assert all([await status(name, {"decision_id": "d"}) >= 400 for name in SEVEN[tools:]])

    asyncio.run(tried())


async def unopened(client: Client, target: Hook) -> None:
    """A decision that a gate blocks stays blocked, whatever a model sets."""
    _, said = await answered(client, "algenta_simulate", DOUBTFUL)
    run = json.loads(json.loads(said)["content"][0]["text"])["run_id"]
    _, said = await answered(client, "algenta_log_decision", {"chosen_action": "proceed", "run_id": run})
    decision = json.loads(json.loads(said)["content"][0]["text"])["decision_id"]
    fair = {"decision_id": decision, "webhook_url": target.url}
    ok, said = await answered(client, "algenta_execute_decision", fair)
    assert (ok, "execution_blocked_confidence" in said) == (False, True)
    for more in (
        *({field: True} for field in UNSAFE),
        *({field.upper(): True} for field in UNSAFE),
        {"metadata": dict(UNSAFE)},
        {"options": dict(UNSAFE)},
        {"metadata": json.dumps(UNSAFE)},
    ):
        ok, _ = await answered(client, "algenta_execute_decision", {**fair, **more})
        assert ok is False


@pytest.mark.requirement("profile.never-model-facing")
def test_straight_at_the_engine_the_linter_refuses_and_the_suite_goes_red(tmp_path: Path, proxies: Proxies) -> None:
    with hook() as target, over_http(engine_file(tmp_path / "project", target)) as engine:
        entry = {"url": engine, "headers": {"Authorization": "Bearer ${NORTH_TRADER}"}}
        held = laid_down(tmp_path / "project", {"algenta": entry}, {"profile": "execute"}, ENVIRON)
        ours = "http://127.0.0.1:1/mcp"
        path = written(held, ours)
        key = f'"bearer_token"\n    auth_value: "{ENVIRON["NORTH_TRADER"]}"'
        path.write_text(path.read_text().replace(ours, engine).replace('"none"', key))
        code, said = linted(held, path, ours)
        assert code == 1
        assert "(other_endpoint)" in said
        proxy = proxies.start(path)
        code, got = suite(held, proxy.url, "execute")
        proxies.end(proxy)
    assert code == 1
    assert {name for name, one in got.items() if one["verdict"] not in ("passed", "not applicable")} == {
        "fields.shown-execute"
    }
    assert got["profile.execute"]["verdict"] == "passed"
