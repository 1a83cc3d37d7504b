"""Where the ledger is: never made by looking, never readable by others."""

import stat
from pathlib import Path

import pytest

from licet.cli import state
from licet.errors import ConfigurationError, LedgerUnavailableError


def test_licet_home_comes_before_xdg_and_xdg_before_the_home_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("LICET_HOME", str(tmp_path / "own"))
    assert state.folder() == tmp_path / "own"
    monkeypatch.setenv("LICET_HOME", "")
    assert state.folder() == tmp_path / "xdg" / "licet"
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert state.folder() == tmp_path / "home" / ".local" / "state" / "licet"


def test_looking_for_the_ledger_makes_nothing(home: Path) -> None:
    assert state.ledger_file() == home / "ledger.db"
    assert not home.exists()


def test_the_state_folder_is_for_its_owner_alone(home: Path) -> None:
    assert state.ledger_to_write() == home / "ledger.db"
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert state.ledger_to_write() == home / "ledger.db"


def test_a_ledger_of_ones_own_makes_no_state_folder(home: Path, tmp_path: Path) -> None:
    assert state.ledger_to_write(str(tmp_path / "own.db")) == tmp_path / "own.db"
    assert not home.exists()


def test_a_state_folder_that_cannot_be_made_is_no_ledger(home: Path) -> None:
    home.write_text("a file is here")
    with pytest.raises(LedgerUnavailableError, match="LICET_HOME"):
        state.ledger_to_write()


@pytest.mark.parametrize("name", ["", "a\0b"])
def test_a_name_that_no_file_has_is_refused(name: str, home: Path) -> None:
    with pytest.raises(ConfigurationError, match="names no file"):
        state.ledger_file(name)
