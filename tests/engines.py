"""Decision engines for tests: two tenants, four keys, one webhook of this machine."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from licet.decisions.caller import Caller
from licet.decisions.engine import Engine
from licet.decisions.settings import Settings, read_settings

ENVIRON = {
    "NORTH_TRADER": "key-of-the-norths-trader",
    "NORTH_ANALYST": "key-of-the-norths-analyst",
    "NORTH_IDLE": "key-of-a-trader-not-enabled",
    "SOUTH_TRADER": "key-of-the-souths-trader",
    "HOOK_SECRET": "secret-of-the-webhooks",
    "OPERATOR": "credential-of-the-operator",
}
FILE = """
keys:
  ${NORTH_TRADER}: {tenant: north, role: trader, execute: true}
  ${NORTH_ANALYST}: {tenant: north, role: analyst, execute: true}
  ${NORTH_IDLE}: {tenant: north, role: trader}
  ${SOUTH_TRADER}: {tenant: south, role: trader, execute: true}
stdio_key: ${STDIO}
roles:
  trader: {execute: true}
  analyst: {}
policy: POLICY
webhooks:
  allowed_hosts: [hooks.example.com]
  loopback: 127.0.0.1:HOOK
  secret: ${HOOK_SECRET}
  timeout_seconds: 5
memory: memory.sqlite
operator:
  port: 0
  credential: ${OPERATOR}
"""
SURE = {
    "variables": [{"name": "gain", "low": 50, "high": 100}],
    "objective": "gain",
    "n_simulations": 1000,
    "seed": 7,
}
"""A simulation of confidence 1 whose fifth percentile is some 52."""
DOUBTFUL = {**SURE, "variables": [{"name": "gain", "low": -60, "high": 40}]}
"""Of confidence 0.4 or so, with a fifth percentile of some -55."""


class NoData:
    """An engine without datasets."""

    def describe(self, caller: Caller) -> dict[str, Any]:
        return {"datasets": []}

    async def query(self, caller: Caller, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {"rows": [], "dataset_id": arguments.get("dataset_id")}

    def close(self) -> None:
        pass


def written(hook_port: int, policy: str = "{}", more: str = "", stdio: str = "NORTH_TRADER") -> str:
    """The engine's file."""
    text = FILE.replace("HOOK\n", f"{hook_port}\n").replace("POLICY", policy).replace("${STDIO}", f"${{{stdio}}}")
    return text + more


def settings(folder: Path, hook_port: int, policy: str = "{}", more: str = "") -> Settings:
    return read_settings(written(hook_port, policy, more).encode(), folder / "engine.yaml", ENVIRON)


def engine(folder: Path, hook_port: int, policy: str = "{}", more: str = "") -> Engine:
    return Engine(settings(folder, hook_port, policy, more), NoData())


def caller(held: Settings, name: str) -> Caller:
    """By the name of its variable."""
    found = held.caller_of(ENVIRON[name])
    assert found is not None
    return found


def key_id(name: str) -> str:
    return sha256(ENVIRON[name].encode()).hexdigest()[:16]


__all__ = ["DOUBTFUL", "ENVIRON", "SURE", "NoData", "caller", "engine", "key_id", "settings", "written"]
