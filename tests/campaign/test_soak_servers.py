"""The soak among MCP servers, in small: a sound build loses nothing, and what it is broken for is found."""

import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest
from campaign.soak import among_servers
from campaign.soak.among_servers import TOLD, Soaked, _beyond
from campaign.soak.check import checked
from campaign.soak.measure import Held, left_behind
from campaign.soak.servers import Seen, ServersLoad, living, wait_until_gone
from campaign.soak.zombies import Zombies, dead_children

from campaign import __main__ as command


def loaded(folder: Path, seconds: float = 1.5) -> ServersLoad:
    load = ServersLoad(7, folder)
    load.run(seconds)
    return load


def test_every_call_of_an_ill_server_has_one_end_and_nothing_of_them_is_left(tmp_path: Path) -> None:
    loaded(tmp_path / "first", 0.3)  # what is opened once stays open
    before = Held.now()
    load = loaded(tmp_path / "second")
    found = checked(str(load.ledger))
    assert found["problems"] == load.seen.strange == []
    assert load.seen.codes["ok"] > 10
    assert load.seen.cancelled >= 1
    assert load.seen.alone_ms
    assert load.seen.among_ms
    told, recorded = load.seen.codes.total(), found["ends"] + found["replayed"]
    assert told <= recorded <= told + load.seen.cancelled
    assert load.seen.processes >= 6
    assert living(load.marks) == []
    assert left_behind(before) == []


def test_a_build_that_kills_only_the_process_that_it_started_is_found(tmp_path: Path) -> None:
    with patch("os.killpg", os.kill), patch("campaign.soak.servers.PATIENCE_S", 0.5):
        load = loaded(tmp_path, 0.5)
    assert any("processes of servers left" in finding for finding in load.seen.strange)
    wait_until_gone(load.marks)
    assert living(load.marks) == [], "who finds them ends them"


def test_a_dead_child_that_nobody_asked_about_is_counted() -> None:
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert child.pid in dead_children()
    with patch("campaign.soak.zombies.EVERY_S", 0.01), Zombies() as zombies:
        zombies.seen_twice.wait(10)
    assert zombies.longest_s > 0
    child.wait()
    assert child.pid not in dead_children()


@pytest.mark.parametrize(
    ("soaked", "told"),
    [
        (Soaked(growth=0.05), "memory grew by 5.0%"),
        (Soaked(dead_s=2.0), "a dead child was not asked about for 2.0 s"),
        (Soaked(seen=Seen(reaped_s=[0.1, 5.0])), "processes were there 5.0 s"),
    ],
)
def test_what_is_beyond_its_limit_is_a_finding(soaked: Soaked, told: str) -> None:
    soaked.seen.alone_ms.extend([2.0] * 100)
    soaked.seen.among_ms.extend([3.9] * 100)
    (finding,) = _beyond(soaked)
    assert finding.startswith(told)


def test_healthy_calls_that_take_twice_as_long_among_the_others_are_a_finding() -> None:
    soaked = Soaked()
    soaked.seen.alone_ms.extend([1.0] * 98 + [2.0] * 2)
    soaked.seen.among_ms.extend([1.0] * 98 + [4.0] * 2)
    (finding,) = _beyond(soaked)
    assert finding.startswith("healthy calls took 4.0 ms among the others and 2.0 ms alone")
    assert list(_beyond(Soaked(seen=Seen(alone_ms=soaked.seen.alone_ms, among_ms=soaked.seen.alone_ms)))) == []


def test_a_finding_or_a_control_that_is_missed_is_exit_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def soaked(found: list[str], controls_found: bool) -> int:
        def apart(seed: int, seconds: float, control: str | None) -> Soaked:
            if control is None:
                return Soaked(findings=found)
            return Soaked(findings=[TOLD[control]] if controls_found else [])

        monkeypatch.setattr(among_servers, "soaked_apart", apart)
        monkeypatch.setattr(sys, "argv", ["campaign", "soak", "--mcp", "--short", "--seed", "3"])
        return command.main()

    assert soaked([], True) == 0
    assert "soak --mcp passed: 0 calls in 60 s" in capsys.readouterr().out
    assert soaked(["memory grew by 6.0%"], True) == 1
    assert "FOUND memory grew by 6.0%" in capsys.readouterr().out
    assert soaked([], False) == 1


def test_only_the_soak_goes_among_servers(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["campaign", "paths", "--mcp"])
    with pytest.raises(SystemExit) as stopped:
        command.main()
    assert stopped.value.code == 2
    assert "--mcp goes with soak" in capsys.readouterr().err
