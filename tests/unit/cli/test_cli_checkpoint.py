"""``licet ledger keygen``, ``checkpoint`` and ``verify --checkpoint``."""

import json
import shutil
import stat
import sys
from pathlib import Path

import pytest
from said import Licet

from chained import requested
from licet.ledger import keys
from tampering import LAST, STORY, rewrite_from, tamper, written


@pytest.fixture
def book(home: Path) -> Path:
    home.mkdir()
    return written(home / "ledger.db")


@pytest.fixture
def mine(tmp_path: Path, book: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the operator's with a pair of keys; home is above everything, as it is on a desk."""
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "mine"
    folder.mkdir()
    private, public = keys.new_pair()
    (folder / "key.pem").write_bytes(private)
    (folder / "key.pub").write_bytes(public)
    return folder


def verified(mine: Path, checkpoint: str = "checkpoint.json", public: str = "key.pub") -> tuple[str, ...]:
    return ("ledger", "verify", "--checkpoint", str(mine / checkpoint), "--public-key", str(mine / public))


def signed(licet: Licet, mine: Path, name: str = "checkpoint.json") -> None:
    said = licet("ledger", "checkpoint", "--key", str(mine / "key.pem"), "--out", str(mine / name))
    assert (said.code, said.err) == (0, "")


# --- a pair of keys ---


def test_a_pair_is_made_that_only_its_owner_reads(book: Path, mine: Path, licet: Licet) -> None:
    private, public = mine / "new.pem", mine / "new.pub"
    said = licet("ledger", "keygen", "--key", str(private), "--public-key", str(public))
    assert (said.code, said.err) == (0, "")
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert b"PRIVATE" not in public.read_bytes()
    key = keys.private_key(private.read_bytes())
    assert keys.public_key(public.read_bytes()).public_bytes_raw() == key.public_key().public_bytes_raw()


@pytest.mark.parametrize("there", ["key.pem", "key.pub", "link"])
def test_no_key_is_ever_overwritten_and_half_a_pair_never_stays(
    there: str, book: Path, mine: Path, licet: Licet
) -> None:
    (mine / "link").symlink_to(mine / "nothing")
    before = {file.name: file.read_bytes() for file in mine.iterdir() if file.exists()}
    for private, public in ((there, "new.pub"), ("new.pem", there)):
        said = licet("ledger", "keygen", "--key", str(mine / private), "--public-key", str(mine / public))
        assert said.code == 2
        assert "never overwritten" in said.err
    assert {file.name: file.read_bytes() for file in mine.iterdir() if file.exists()} == before


def test_a_key_does_not_lie_where_a_run_or_the_ledger_could_reach_it(
    book: Path, mine: Path, tmp_path: Path, licet: Licet, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "deep").mkdir()
    (tmp_path / "configured").mkdir()
    (tmp_path / "configured" / "licet.yaml").touch()
    (tmp_path / "root" / "deep").mkdir(parents=True)
    (mine / "way").symlink_to(project)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for where, told in (
        (book.parent / "k", "the ledger's folder"),
        (project / "deep" / "k", "inside the project"),
        (mine / "way" / "k", "inside the project"),
        (tmp_path / "configured" / "k", "inside the project"),
        (tmp_path / "root" / "deep" / "k", "inside --root"),
        (Path("k"), "inside the project"),
    ):
        said = licet(
            "ledger", "keygen", "--key", str(where), "--public-key", str(mine / "p"), "--root", str(tmp_path / "root")
        )
        assert (said.code, where.exists()) == (2, False), where
        assert told in said.err
    said = licet("ledger", "keygen", "--key", str(mine / "k"), "--public-key", str(book.parent / "p"))
    assert said.code == 2
    assert not (mine / "k").exists()
    assert not (mine / "p").exists()


def test_nothing_else_makes_a_key(book: Path, mine: Path, licet: Licet) -> None:
    said = licet("ledger", "checkpoint", "--key", str(mine / "gone.pem"))
    assert said.code == 4
    assert "No such file" in said.err
    assert not (mine / "gone.pem").exists()


@pytest.mark.parametrize("option", ["--key", "--public-key"])
def test_a_folder_that_is_missing_is_not_made(option: str, book: Path, mine: Path, licet: Licet) -> None:
    paths = {"--key": str(mine / "k"), "--public-key": str(mine / "p"), option: str(mine / "gone" / "x")}
    said = licet("ledger", "keygen", *(word for pair in paths.items() for word in pair))
    assert said.code == 2
    assert "folder does not exist" in said.err
    assert sorted(file.name for file in mine.iterdir()) == ["key.pem", "key.pub"]


# --- signing ---


def test_a_checkpoint_is_one_small_document(book: Path, mine: Path, licet: Licet) -> None:
    said = licet("ledger", "checkpoint", "--key", str(mine / "key.pem"))
    assert (said.code, said.err) == (0, "")
    assert (said.document["version"], said.document["size"]) == (1, LAST)
    assert len(said.out) < 1024
    assert "PRIVATE" not in said.out


def test_nothing_is_signed_of_a_broken_ledger(book: Path, mine: Path, licet: Licet) -> None:
    tamper(book, "UPDATE entry SET actor = 'nobody' WHERE seq = 3")
    for words in ((), ("--out", str(mine / "checkpoint.json"))):
        said = licet("ledger", "checkpoint", "--key", str(mine / "key.pem"), *words)
        assert said.code == 1
        assert "not signed" in said.out
        assert "entry 3" in said.out
    assert not (mine / "checkpoint.json").exists()


def test_a_newer_checkpoint_replaces_an_earlier_one_that_still_holds(book: Path, mine: Path, licet: Licet) -> None:
    signed(licet, mine)
    written(book, [requested("c9")])
    signed(licet, mine)
    assert json.loads((mine / "checkpoint.json").read_text())["size"] == LAST + 1


def test_what_was_rolled_back_is_not_blessed_by_signing_it_again(book: Path, mine: Path, licet: Licet) -> None:
    """A timer that signs every minute must not hide that the ledger lost its end since the last one."""
    signed(licet, mine)
    before = (mine / "checkpoint.json").read_bytes()
    rewrite_from(book, LAST - 1)
    said = licet("ledger", "checkpoint", "--key", str(mine / "key.pem"), "--out", str(mine / "checkpoint.json"))
    assert said.code == 1
    assert "too_short" in said.out
    assert (mine / "checkpoint.json").read_bytes() == before


def test_what_is_no_checkpoint_is_not_overwritten(book: Path, mine: Path, licet: Licet) -> None:
    (mine / "notes.txt").write_text("mine")
    for out in (mine / "notes.txt", mine / "key.pub", book):
        before = out.read_bytes()
        said = licet("ledger", "checkpoint", "--key", str(mine / "key.pem"), "--out", str(out))
        assert said.code == 2
        assert "not overwritten" in said.err or "larger file" in said.err
        assert out.read_bytes() == before


def test_a_key_in_the_ledgers_folder_signs_nothing(book: Path, mine: Path, licet: Licet) -> None:
    shutil.copy(mine / "key.pem", book.parent / "key.pem")
    said = licet("ledger", "checkpoint", "--key", str(book.parent / "key.pem"))
    assert said.code == 2
    assert said.out == ""
    assert "would prove nothing" in said.err


def test_a_checkpoint_beside_its_ledger_is_warned_of(book: Path, mine: Path, licet: Licet) -> None:
    said = licet("ledger", "checkpoint", "--key", str(mine / "key.pem"), "--out", str(book.parent / "c.json"))
    assert said.code == 0
    assert "keep a copy elsewhere" in said.err


# --- verifying ---


@pytest.mark.requirement("own.ledger-tamper-evidence")
def test_verification_says_up_to_where_truncation_is_excluded(book: Path, mine: Path, licet: Licet) -> None:
    signed(licet, mine)
    written(book, [requested("c9")])
    said = licet(*verified(mine))
    assert said.code == 0
    assert f"as signed  up to entry {LAST}" in said.out
    assert f"Excluded up to entry {LAST}" in said.out
    document = licet(*verified(mine), "--json").document
    assert (document["ok"], document["entries"]) == (True, LAST + 1)
    assert (document["checkpoint"]["ok"], document["checkpoint"]["entries"]) == (True, LAST)
    without = licet("ledger", "verify", "--json").document
    assert (without["ok"], without["checkpoint"]) == (True, None)
    assert without["not_excluded"].startswith("Not excluded: that entries are missing at the end")


@pytest.mark.requirement("own.ledger-tamper-evidence")
@pytest.mark.parametrize("failure", ["too_short", "other_head", "other_ledger", "wrong_key", "bad_signature", "broken"])
def test_each_failure_is_named_and_exits_1(failure: str, book: Path, mine: Path, licet: Licet) -> None:
    signed(licet, mine)
    public = "key.pub"
    if failure == "too_short":
        tamper(book, f"DELETE FROM entry WHERE seq = {LAST}")
    elif failure == "other_head":
        rewrite_from(book, 2, *STORY[:1] * (LAST - 1))
    elif failure == "other_ledger":
        book.unlink()
        written(book)
    elif failure == "wrong_key":
        public = "other.pub"
        (mine / public).write_bytes(keys.new_pair()[1])
    elif failure == "bad_signature":
        text = (mine / "checkpoint.json").read_text()
        (mine / "checkpoint.json").write_text(text.replace(f'"size": {LAST}', f'"size": {LAST - 1}'))
    else:
        tamper(book, "UPDATE entry SET actor = 'nobody' WHERE seq = 3")
    said = licet(*verified(mine, public=public))
    assert said.code == 1
    assert f"not as signed  {failure}:" in said.out
    assert "Not excluded: that entries are missing at the end" in said.out
    document = licet(*verified(mine, public=public), "--json").document
    assert (document["ok"], document["checkpoint"]["ok"], document["checkpoint"]["failure"]) == (False, False, failure)


def test_the_public_key_comes_from_the_operator_or_not_at_all(book: Path, mine: Path, licet: Licet) -> None:
    signed(licet, mine)
    for words in (("--checkpoint", str(mine / "checkpoint.json")), ("--public-key", str(mine / "key.pub"))):
        said = licet("ledger", "verify", *words)
        assert (said.code, said.out) == (2, "")
        assert "go together" in said.err


@pytest.mark.parametrize(
    ("option", "content", "told"),
    [
        ("--checkpoint", b"not json", "no checkpoint"),
        ("--checkpoint", b"{}", "no checkpoint"),
        ("--checkpoint", b"x" * 5000, "a larger file"),
        ("--public-key", b"not a key", "no public key"),
        ("--public-key", b"x" * 70_000, "a larger file"),
    ],
)
def test_bad_input_is_a_usage_error_that_names_the_file(
    option: str, content: bytes, told: str, book: Path, mine: Path, licet: Licet
) -> None:
    signed(licet, mine)
    bad = mine / "bad"
    bad.write_bytes(content)
    files = {"--checkpoint": mine / "checkpoint.json", "--public-key": mine / "key.pub", option: bad}
    said = licet("ledger", "verify", *(str(word) for pair in files.items() for word in pair))
    assert (said.code, said.out) == (2, "")
    assert told in said.err
    assert f"{option} {bad}" in said.err
    bad.unlink()
    assert licet("ledger", "verify", *(str(word) for pair in files.items() for word in pair)).code == 4


def test_the_halves_of_a_pair_are_not_taken_for_each_other(book: Path, mine: Path, licet: Licet) -> None:
    signed(licet, mine)
    said = licet("ledger", "checkpoint", "--key", str(mine / "key.pub"))
    assert (said.code, "signing takes the private one" in said.err) == (2, True)
    said = licet(*verified(mine, public="key.pem"))
    assert (said.code, "verifying takes the public one" in said.err) == (2, True)
    assert "PRIVATE" not in said.err


@pytest.mark.parametrize("action", ["keygen", "checkpoint", "verify"])
def test_without_the_extra_the_command_names_it(
    action: str, book: Path, mine: Path, licet: Licet, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed(licet, mine)
    words = {
        "keygen": ("ledger", "keygen", "--key", str(mine / "a"), "--public-key", str(mine / "b")),
        "checkpoint": ("ledger", "checkpoint", "--key", str(mine / "key.pem")),
        "verify": verified(mine),
    }
    monkeypatch.setitem(sys.modules, "cryptography", None)
    said = licet(*words[action])
    assert (said.code, said.out) == (2, "")
    assert "pip install 'licet[sign]'" in said.err
    assert licet("ledger", "verify").code == 0, "what needs no key needs no extra"
