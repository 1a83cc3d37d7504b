"""The campaigns against the ledger, in small: each finds nothing in a sound build, and finds its controls."""

import errno
import itertools
import random
import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from campaign.lying import Unsynced
from campaign.power.check import untested
from campaign.power.cut import remains
from campaign.power.disk import Disk, Enter, Fault, Sync, SyncFolder, Unlink, Write
from campaign.power.fault import suffer
from campaign.power.story import FILE, Story
from campaign.tamper.control import that_skips
from campaign.tamper.mutation import flip_in_column
from campaign.tamper.victim import Victim

from campaign import __main__ as command
from campaign import kill, power, tamper


def quiet(line: str) -> None:
    """Nobody waits."""


# --- each in small, with its controls ---


def test_kills_lose_nothing_and_start_nothing_twice_and_every_broken_build_is_caught() -> None:
    report = kill.run(1, True, quiet, size=kill.Size(4, 4), control=kill.Size(12, 3))
    assert report.findings == ()
    assert report.control_caught, report.control
    assert report.control.count("(caught)") == 3
    assert report.details["kills"] == 4
    assert report.details["asked"] > 50
    assert report.details["effects"] > 20


def test_power_cuts_and_disk_errors_lose_nothing_and_every_lie_is_caught() -> None:
    size, control = (
        power.Size(stories=2, cuts_per_story=5, errors=4),
        power.Size(stories=4, cuts_per_story=8, errors=12),
    )
    report = power.run(1, True, quiet, size=size, control=control)
    assert report.findings == ()
    assert report.control_caught, report.control
    assert report.control.count("(caught ") == 3
    assert report.details["cuts"] == 10
    assert report.details["cuts_with_unsynced_writes"] > 0
    assert sum(report.details["errors"].values()) == 16
    assert f"written by SQLite {report.details['sqlite_written']} (apsw)" in report.figure


def test_every_change_of_a_file_is_noticed_and_every_verifier_that_skips_something_is_caught() -> None:
    report = tamper.run(1, True, quiet, mutations=60)
    assert report.findings == ()
    assert report.control_caught, report.control
    assert report.details["chain"] + report.details["checkpoint"] == 60


def test_a_disk_that_fails_while_a_ledger_is_made_leaves_no_half_of_one(tmp_path: Path) -> None:
    """Every write and sync from the first to the ledger's own first commit."""
    refused = 0
    for number, kind in itertools.product(range(1, 25), ("write", "sync")):
        folder = tmp_path / f"{kind}-{number}"
        folder.mkdir()
        suffered = suffer(folder, Fault(kind, number, errno.EIO, lasting=False), seed=number)
        assert suffered.problem is None, f"{kind} {number} ({suffered.hit}): {suffered.problem}"
        refused += suffered.refused
    assert refused > 30


# --- what a finding does ---


def broken(campaign: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let the campaign meet a build that is not sound. Gives what it has to find."""
    if campaign == "kill":
        kills = kill.kill
        monkeypatch.setattr(kill, "SHORT", kill.Size(6, 3))
        monkeypatch.setattr(kill, "kill", lambda size, build, *rest: kills(size, "forgets", *rest))
        return "TWICE: "
    if campaign == "power":
        cuts = power.cut_the_power
        monkeypatch.setattr(power, "SHORT", power.Size(stories=3, cuts_per_story=10, errors=1))
        monkeypatch.setattr(power, "cut_the_power", lambda size, chance, lie=Unsynced: cuts(size, chance, lie=lie))
        return "LOST: "
    changes = tamper.tamper

    def blind(ledgers: list[Victim], *rest: Any) -> Any:
        with that_skips("actor", ledgers[0]):
            return changes(ledgers[:1], *rest)

    monkeypatch.setattr(tamper, "SHORT", 3)
    monkeypatch.setattr(tamper, "tamper", blind)
    monkeypatch.setattr(tamper, "MUTATIONS", {partial(flip_in_column, column="actor", seq=3): 1})
    return "a bit of actor of entry 3 "


@pytest.mark.parametrize("campaign", ["kill", "power", "tamper"])
def test_a_finding_is_told_and_makes_exit_code_1(
    campaign: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = broken(campaign, monkeypatch)
    monkeypatch.setattr(sys, "argv", ["campaign", campaign, "--short", "--seed", "5"])
    assert command.main() == 1
    *lines, last = capsys.readouterr().out.splitlines()
    assert any(line.startswith("FOUND ") and expected in line for line in lines), lines
    assert last.startswith(f"{campaign} failed: ")


def test_a_control_that_is_not_caught_makes_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tamper, "SHORT", 3)
    monkeypatch.setattr(tamper, "that_skips", lambda column, victim: nullcontext())
    monkeypatch.setattr(sys, "argv", ["campaign", "tamper", "--short", "--seed", "5"])
    assert command.main() == 1
    told = capsys.readouterr().out
    assert "FOUND" not in told
    assert "NOT CAUGHT" in told
    assert "MISSED: seq, run_id, kind" in told


# --- the simulated disk ---


def test_what_was_synced_outlives_every_cut_and_what_was_not_need_not(tmp_path: Path) -> None:
    with Disk(tmp_path) as disk:
        story = Story(disk, tmp_path, random.Random(3))
        story.tell(5)
    assert untested(disk) is None
    file = next(number for number, name in disk.file_names.items() if name == f"{FILE}-wal")
    synced = max(
        at for at, operation in enumerate(disk.log) if operation[:1] == (file,) and isinstance(operation, Sync)
    )
    log = disk.log[: synced + 1]
    at_the_sync = {remains(log, random.Random(seed)).files[f"{FILE}-wal"] for seed in range(20)}
    assert len(at_the_sync) == 1
    later = [*log, Write(file, 0, b"x" * 5000)]
    after_it = {remains(later, random.Random(seed)).files[f"{FILE}-wal"] for seed in range(40)}
    assert at_the_sync < after_it, "it may be gone,"
    assert len(after_it) > 3, "there, or there in part"


def test_a_name_is_there_after_a_cut_once_its_folder_was_synced() -> None:
    made = [Enter("state", None), Enter("state/file", 0), Write(0, 0, b"x"), Sync(0, 3)]
    synced = [*made, SyncFolder("", 4), SyncFolder("state", 4)]
    seeds = range(30)
    assert {bool(remains(made, random.Random(seed)).files) for seed in seeds} == {True, False}
    assert {str(remains(synced, random.Random(seed)).files) for seed in seeds} == {"{'state/file': b'x'}"}
    gone = [*synced, Unlink("state/file"), SyncFolder("state", 7)]
    assert {str(remains(gone, random.Random(seed)).files) for seed in seeds} == {"{}"}
