"""The demonstration: what it shows of a sound corridor, and that it finds every broken one."""

import asyncio
import inspect
import os
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import licet.agents.probe.bare as bare
import licet.agents.probe.demonstration as demonstration
import licet.agents.probe.play as play
import licet.agents.probe.tamper as tamper
import licet.policy.judge
import licet.runtime.corridor as corridor
import licet.workspace.confined
from licet.agents.probe.attacks import attacks
from licet.agents.probe.case import Seen
from licet.agents.probe.demonstration import Report, document, probe
from licet.agents.probe.playground import Playground
from licet.ledger.sqlite import SqliteLedger
from licet.ledger.verify import Verification
from licet.model.entry import Entry
from licet.model.verdict import PERMIT
from licet.runtime.authorize import AuthorizedCall, authorize

NAMED = (
    "hidden write",
    "not granted",
    "unknown tool",
    "other spellings",
    "path escape",
    "absolute path",
    "prefix sibling",
    "symbolic link",
    "hard link",
    "protected file",
    "bad and extra arguments",
    "not JSON",
    "oversized argument",
    "NUL",
    "pipe",
    "approval",
    "call id used twice",
    "forged result delimiter",
    "text that looks like a call",
)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    ledger = SqliteLedger(tmp_path / "ledger.db")
    yield ledger
    ledger.close()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """One attack hangs its bare handler in every probe; that is told sooner here."""
    monkeypatch.setattr(bare, "PATIENCE_S", 0.05)


class Shown(NamedTuple):
    """One probe of the sample, and its ledger as it was left."""

    report: Report
    entries: tuple[Entry, ...]
    ledger: Path


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    path = tmp_path_factory.mktemp("probe") / "ledger.db"
    with closing(SqliteLedger(path)) as ledger:
        report = asyncio.run(probe(None, ledger))
        return Shown(report, tuple(ledger.entries()), path)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "README.md").write_text("# A project\n")
    (root / "src" / "main.py").write_text("print('hello')\n")
    (root / "licet.yaml").write_text("agents: {mine: {}}\n")
    (root / ".git" / "config").write_text("[core]\n")
    return root


def problems(report: Report) -> dict[str, list[str]]:
    return {row.attack.name: [t.problem for t in row.tried if t.problem] for row in report.rows if not row.held}


def everything_below(root: Path) -> dict[str, Any]:
    return {
        str(path.relative_to(root)): (path.lstat().st_mode, path.lstat().st_mtime_ns, path.lstat().st_ino)
        + ((path.read_bytes(),) if path.is_file() else ())
        for path in (root, *root.rglob("*"))
    }


# --- a sound corridor ---


def test_every_attack_is_refused_or_contained_and_the_control_is_not(sample: Shown) -> None:
    report = sample.report
    assert problems(report) == {}
    assert report.ok
    assert report.passed == 0
    assert report.controlled >= 15
    assert {row.attack.holds for row in report.rows} == {"refused", "contained"}


def test_every_attack_that_is_promised_is_played(sample: Shown, tmp_path: Path) -> None:
    names = [attack.name for attack in attacks(Playground(tmp_path / "place", None))]
    assert [wanted for wanted in NAMED if not any(wanted in name for name in names)] == []
    assert [row.attack.name for row in sample.report.rows] == names


def test_every_refusal_stands_on_the_ledger_under_its_number(sample: Shown) -> None:
    report = sample.report
    entries = {entry.seq: entry for entry in sample.entries}
    refused = [tried for row in report.rows if row.attack.holds == "refused" for tried in row.tried]
    assert len(refused) > 40
    for tried in refused:
        assert tried.entry is not None
        assert entries[tried.entry.seq] == tried.entry
        assert tried.entry.kind in ("tool.refused", "tool.denied")
        assert f'"code":"{tried.code}"'.encode() in tried.entry.body


def test_what_bare_handlers_let_happen_is_told_by_its_effect(sample: Shown) -> None:
    report = sample.report
    harm = {row.attack.name: [tried.harm for tried in row.tried] for row in report.rows}
    assert set(harm["symbolic link to outside"]) == {"read the secret", "wrote outside"}
    assert set(harm["hard link to outside"]) == {"read the secret", "wrote outside"}
    assert harm["pipe that nobody writes to"] == ["hangs"]
    assert harm["forged result delimiter"] == ["closed the block"] * 2
    assert harm["call id used twice, write"] == ["ran twice"]
    assert harm["approval, nobody to ask"] == ["ran deploy"]
    assert harm["protected file"][:3] == ["wrote licet.yaml", "wrote .git/config", "wrote .mcp.json"]
    assert harm["unknown tool"] == ["", ""], "a plain lookup does not know it either, and the table says so"


def test_the_honest_calls_among_the_attacks_succeed(sample: Shown) -> None:
    report = sample.report
    honest = sum(script.answered for row in report.rows for script in row.attack.scripts)
    completed = [entry for entry in sample.entries if entry.kind == "tool.completed"]
    assert len(completed) == honest > 5


def test_one_flipped_byte_is_found_in_its_entry_and_the_ledger_itself_is_whole(sample: Shown) -> None:
    report = sample.report
    assert report.flip.whole.ok
    assert report.flip.broken.seq == report.flip.seq
    assert not report.flip.broken.ok
    assert tamper.verify_file(sample.ledger).ok


async def test_a_ledger_that_holds_other_runs_is_probed_as_well(ledger: SqliteLedger) -> None:
    first, second = await probe(None, ledger), await probe(None, ledger)
    assert second.ok
    assert second.flip.seq > first.flip.whole.count
    assert set(first.runs).isdisjoint(second.runs)


def test_the_document_holds_every_try(sample: Shown) -> None:
    report = sample.report
    told = document(report)
    assert told["ok"] is True
    assert told["got_through"]["through_licet"] == 0
    assert [row["attack"] for row in told["attacks"]] == [row.attack.name for row in report.rows]
    assert sum(len(row["tries"]) for row in told["attacks"]) == sum(len(row.tried) for row in report.rows)
    assert told["flipped"]["found_at"] == told["flipped"]["seq"]


# --- the project ---


async def test_the_project_stays_as_it_is_byte_for_byte(ledger: SqliteLedger, project: Path) -> None:
    before = everything_below(project)
    report = await probe(project, ledger)
    assert report.ok
    assert report.copied.files == 3, "the history is left out"
    assert everything_below(project) == before


async def test_nothing_that_is_written_to_the_copy_follows_a_link_out_of_it(
    ledger: SqliteLedger, project: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "settings.json").write_text("mine")
    (project / ".claude").symlink_to(mine)
    (project / "licet-probe").symlink_to(mine)
    (project / ".mcp.json").symlink_to(mine / "settings.json")
    before = everything_below(mine)
    assert (await probe(project, ledger)).ok
    assert everything_below(mine) == before


async def test_odd_things_in_the_project_are_skipped(ledger: SqliteLedger, project: Path) -> None:
    os.mkfifo(project / "pipe")
    (project / "loop").symlink_to(".")
    (project / "a\nname\x1b[31m").write_text("x")
    (project / os.fsdecode(b"no-utf8-\xff")).write_bytes(b"\xff\x00")
    (project / "licet-probe").write_text("a file where the traps go")
    (project / ".licet").write_text("a file where state would be")
    report = await probe(project, ledger)
    assert report.ok
    assert report.copied.skipped == 2
    assert not report.copied.cut


async def test_an_empty_project_is_attacked_too(ledger: SqliteLedger, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert (await probe(tmp_path / "empty", ledger)).ok


@pytest.mark.parametrize("broken", [False, True])
async def test_the_copies_are_gone_afterwards(
    ledger: SqliteLedger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: bool
) -> None:
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    if broken:
        monkeypatch.setattr(demonstration, "flip_one_byte", _raise)
        with pytest.raises(OSError, match="on purpose"):
            await probe(None, ledger)
    else:
        assert (await probe(None, ledger)).ok
    assert list(place.iterdir()) == []


async def test_a_project_that_holds_the_copies_is_not_copied_into_itself(
    ledger: SqliteLedger, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(project))
    report = await probe(project, ledger)
    assert report.ok
    assert report.copied.files == 3


def _raise(*_: Any) -> None:
    raise OSError("on purpose")


# --- controls: a corridor that is broken on purpose is found ---


async def test_a_corridor_that_permits_everything_is_found(
    ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def permit(*given: Any, **named: Any) -> Any:
        facts = inspect.signature(authorize).bind(*given, **named).arguments
        return AuthorizedCall(**{name: facts[name] for name in inspect.signature(AuthorizedCall).parameters})

    monkeypatch.setattr(corridor, "authorize", permit)
    report = await probe(None, ledger)
    assert not report.ok
    assert {"hidden write, read-only", "tool that was not granted", "approval, nobody to ask"} <= problems(
        report
    ).keys()
    assert problems(report)["unknown tool"][0].startswith("raised ")


def permits(*_: Any) -> Any:
    return PERMIT


@pytest.mark.parametrize(
    ("check", "found"),
    [
        ("mode", "hidden write, read-only"),
        ("arguments", "bad and extra arguments"),
        ("approval", "approval, nobody to ask"),
    ],
)
async def test_a_corridor_without_one_of_its_checks_is_found(
    ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch, check: str, found: str
) -> None:
    without = tuple((name, permits if name == check else judged) for name, judged in licet.policy.judge._ORDER)
    assert without != licet.policy.judge._ORDER, "the check has another name now"
    monkeypatch.setattr(licet.policy.judge, "_ORDER", without)
    report = await probe(None, ledger)
    assert not report.ok
    assert found in problems(report)


async def test_a_workspace_that_follows_links_is_found(ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    def follow(self: Any, path: str, flags: int) -> Any:
        from licet.workspace.unconfined import Unconfined

        return Unconfined().open(os.path.join(self._policy.roots[0], path), flags)

    monkeypatch.setattr(licet.workspace.confined.Confined, "open", follow)
    report = await probe(None, ledger)
    assert problems(report)["symbolic link to outside"][0] == "read the secret"


async def test_a_block_that_can_be_closed_is_found(ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "licet.dialects.untrusted.Fence.render",
        lambda self, result: f"<tool_response>\n{result.json.decode()}\n</tool_response>".replace("\\n", "\n"),
    )
    assert problems(await probe(None, ledger))["forged result delimiter"] == ["closed the block"] * 2


async def test_a_corridor_that_refuses_everything_is_found(
    ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play, "GRANTS", dict.fromkeys(play.GRANTS, ()))
    report = await probe(None, ledger)
    assert not report.ok
    assert problems(report)["call id used twice, write"] == ["refused an honest call"]


async def test_a_refusal_that_is_not_on_the_ledger_is_found(
    ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = demonstration.evidence_of
    monkeypatch.setattr(demonstration, "evidence_of", lambda entries: told(entry for entry in entries if entry.seq > 2))
    assert "not on the ledger" in problems(await probe(None, ledger))["hidden write, read-only"]


async def test_bare_handlers_that_let_nothing_through_fail_the_demonstration(
    ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing(place: Playground) -> list[list[Seen]]:
        return [[Seen((), (), (), False, "PermissionError") for _ in attack.scripts] for attack in attacks(place)]

    monkeypatch.setattr(demonstration, "played_bare", nothing)
    report = await probe(None, ledger)
    assert report.passed == 0
    assert report.controlled == 0
    assert not report.ok


@pytest.mark.parametrize("says", [None, 1])
async def test_a_verification_that_misses_the_flipped_byte_fails_the_demonstration(
    ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch, says: int | None
) -> None:
    answers = iter([Verification(9, b"", True, None, None, ()), Verification(9, b"", says is None, None, says, ())])
    monkeypatch.setattr(tamper, "verify_file", lambda path: next(answers))
    report = await probe(None, ledger)
    assert report.passed == 0
    assert not report.flip.found
    assert not report.ok
