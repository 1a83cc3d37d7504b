"""Checkpoints: what a chain alone cannot show, one that was kept elsewhere can."""

import json
import random
import shutil
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization as pem
from cryptography.hazmat.primitives.asymmetric import ec, ed448, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from chained import draft, linked, requested
from licet.errors import ChainBrokenError, ConfigurationError, LedgerUnavailableError
from licet.ledger import keys
from licet.ledger.checkpoint import Checkpoint, Comparison, sign, verify_against
from licet.ledger.sqlite import SqliteLedger
from licet.ledger.table import Meta
from licet.ledger.verify import NOT_EXCLUDED, verify, verify_file
from licet.model.entry import GENESIS
from tampering import COLUMNS, LAST, STORY, rewrite_from, tamper, written

KEY = Ed25519PrivateKey.from_private_bytes(b"k" * 32)
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(b"o" * 32)
AT_US = 1_795_000_000_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return written(tmp_path / "ledger.db")


@pytest.fixture
def checkpoint(path: Path) -> Checkpoint:
    return sign(verify_file(path), KEY, at_us=AT_US)


def against(path: Path, checkpoint: Checkpoint) -> Comparison:
    return verify_against(path, checkpoint, KEY.public_key())


# --- what it proves ---


@pytest.mark.requirement("own.ledger-tamper-evidence")
def test_a_ledger_that_only_grew_holds_what_was_signed(path: Path, checkpoint: Checkpoint) -> None:
    assert against(path, checkpoint).ok
    written(path, [requested("c9"), draft("a.b")])
    compared = against(path, checkpoint)
    assert (compared.ok, compared.failure, compared.found.count) == (True, None, LAST + 2)
    assert f"Excluded up to entry {LAST}" in compared.excluded
    assert "Not excluded: the same for what came after" in compared.excluded


@pytest.mark.requirement("own.ledger-tamper-evidence")
@pytest.mark.parametrize("kept", [0, 1, LAST - 1])
def test_a_ledger_that_was_cut_off_is_found(path: Path, checkpoint: Checkpoint, kept: int) -> None:
    tamper(path, f"DELETE FROM entry WHERE seq > {kept}")
    assert verify_file(path).ok, "the chain alone does not show it"
    compared = against(path, checkpoint)
    assert (compared.ok, compared.failure) == (False, "too_short")
    assert f"ends at entry {kept}, and had {LAST}" in str(compared.problem)
    assert compared.excluded == NOT_EXCLUDED


@pytest.mark.requirement("own.ledger-tamper-evidence")
def test_an_older_copy_that_was_put_back_is_found(path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / "backup.db")
    written(path, [requested("c9")])
    newest = sign(verify_file(path), KEY)
    shutil.copy(tmp_path / "backup.db", path)
    assert verify_file(path).ok
    assert against(path, newest).failure == "too_short"


@pytest.mark.requirement("own.ledger-tamper-evidence")
@pytest.mark.parametrize("longer", [0, 5])
@pytest.mark.parametrize("cut", [1, 4, LAST])
def test_a_tail_that_was_made_anew_is_found(path: Path, checkpoint: Checkpoint, cut: int, longer: int) -> None:
    rewrite_from(path, cut, *(draft("a.b", number=number) for number in range(LAST - cut + 1 + longer)))
    assert verify_file(path).ok
    compared = against(path, checkpoint)
    assert (compared.ok, compared.failure) == (False, "other_head")


@pytest.mark.requirement("own.ledger-tamper-evidence")
def test_another_ledger_with_the_same_entries_is_found(path: Path, checkpoint: Checkpoint, tmp_path: Path) -> None:
    other = written(tmp_path / "other.db")
    assert verify_file(other).head == verify_file(path).head
    assert against(other, checkpoint).failure == "other_ledger"


@pytest.mark.requirement("own.ledger-tamper-evidence")
@pytest.mark.parametrize("change", [{"ledger_id": b"i" * 16}, {"created_us": 1}])
def test_a_meta_that_was_made_anew_with_its_digest_is_found(
    path: Path, checkpoint: Checkpoint, change: dict[str, Any]
) -> None:
    def forge(raw: sqlite3.Connection) -> None:
        honest = Meta(*raw.execute("SELECT format, ledger_id, created_us FROM meta").fetchone())
        forged = honest._replace(**change)
        raw.execute("UPDATE meta SET ledger_id = ?, created_us = ?, digest = ?", (*forged[1:], forged.digest()))

    tamper(path, change=forge)
    assert verify_file(path).ok
    assert against(path, checkpoint).failure == "other_ledger"


@pytest.mark.requirement("own.ledger-tamper-evidence")
@pytest.mark.parametrize("seq", [1, 3, LAST])
@pytest.mark.parametrize("column", COLUMNS)
def test_a_change_of_any_column_or_row_is_found_given_a_checkpoint(
    path: Path, checkpoint: Checkpoint, column: str, seq: int
) -> None:
    """The last row too, whose absence a bare chain does not show."""
    tamper(path, COLUMNS[column].format(seq=seq))
    assert not against(path, checkpoint).ok


def test_what_broke_after_the_checkpoint_leaves_what_was_signed_sound(path: Path, checkpoint: Checkpoint) -> None:
    written(path, [requested("c9"), draft("a.b")])
    tamper(path, f"UPDATE entry SET actor = 'nobody' WHERE seq = {LAST + 2}")
    compared = against(path, checkpoint)
    assert (compared.ok, compared.failure, compared.found.seq) == (False, None, LAST + 2)
    assert f"Excluded up to entry {LAST}" in compared.excluded


def test_a_chain_that_breaks_before_what_was_signed_is_no_proof(path: Path, checkpoint: Checkpoint) -> None:
    tamper(path, "UPDATE entry SET actor = 'nobody' WHERE seq = 3")
    assert against(path, checkpoint).failure == "broken"


def test_the_first_checkpoint_may_be_of_an_empty_ledger(tmp_path: Path) -> None:
    path = written(tmp_path / "ledger.db", [])
    checkpoint = sign(verify_file(path), KEY)
    assert (checkpoint.size, checkpoint.head) == (0, GENESIS)
    written(path)
    assert against(path, checkpoint).ok


def test_seeded_changes_of_the_file_are_all_found_given_a_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Bits of the pages that hold entries: each is found, or changes nothing that a reader sees."""
    whole, chance = path.read_bytes(), random.Random(20_261_129)
    with closing(SqliteLedger(path)) as ledger:
        before = list(ledger.entries())
    missed = []
    for _ in range(150):
        at = chance.randrange(len(whole))
        path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << chance.randrange(8))]) + whole[at + 1 :])
        for suffix in ("-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        try:
            if not against(path, checkpoint).ok:
                continue
        except LedgerUnavailableError:
            continue
        with closing(SqliteLedger(path)) as ledger:
            if list(ledger.entries()) != before:
                missed.append(at)
    assert missed == []


# --- whose word it is ---


def test_a_checkpoint_signed_with_another_key_is_refused_whatever_key_it_names(
    path: Path, checkpoint: Checkpoint
) -> None:
    """Whoever can write the ledger can sign as well, and say that any key did it."""
    forged = sign(verify_file(path), OTHER_KEY)
    assert against(path, forged).failure == "wrong_key"
    assert against(path, replace(forged, public_key=checkpoint.public_key)).failure == "bad_signature"
    assert against(path, replace(forged, public_key=None)).failure == "bad_signature"


def test_the_key_that_a_checkpoint_names_is_never_used(path: Path, checkpoint: Checkpoint) -> None:
    for named in (None, OTHER_KEY.public_key().public_bytes_raw(), b"\0" * 32):
        assert against(path, replace(checkpoint, public_key=named)).ok


@pytest.mark.parametrize("field", ["ledger", "size", "head", "at_us", "signature"])
def test_a_change_of_any_signed_field_is_found(path: Path, checkpoint: Checkpoint, field: str) -> None:
    value = getattr(checkpoint, field)
    changed: Any = value - 1 if isinstance(value, int) else bytes([value[0] ^ 1]) + value[1:]
    assert against(path, replace(checkpoint, **{field: changed})).failure == "bad_signature"


def test_what_is_signed_is_tagged_and_framed(checkpoint: Checkpoint) -> None:
    signed = checkpoint.signed
    assert signed.startswith(b"licet.checkpoint.v1\0" + (16).to_bytes(8) + checkpoint.ledger)
    assert len(signed) == 20 + 4 * 8 + 16 + 8 + 32 + 8
    assert Ed25519PrivateKey.from_private_bytes(b"k" * 32).sign(signed) == checkpoint.signature


def test_nothing_is_signed_of_a_ledger_that_does_not_hold(path: Path) -> None:
    tamper(path, "UPDATE entry SET actor = 'nobody' WHERE seq = 3")
    with pytest.raises(ChainBrokenError, match="entry 3"):
        sign(verify_file(path), KEY)


def test_nothing_is_signed_of_what_is_no_file() -> None:
    with pytest.raises(ConfigurationError, match="verify_file"):
        sign(verify(linked(*STORY)), KEY)


# --- the document ---


def test_a_document_gives_its_checkpoint_back(checkpoint: Checkpoint) -> None:
    document = checkpoint.document()
    assert Checkpoint.parse(json.dumps(document).encode()) == checkpoint
    assert list(document) == ["version", "ledger", "size", "head", "at_us", "public_key", "signature"]
    del document["public_key"]
    assert Checkpoint.parse(json.dumps(document).encode()) == replace(checkpoint, public_key=None)


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"version": True},
        {"version": 1.0},
        {"version": None},
        {"ledger": "00"},
        {"ledger": "AB" * 16},
        {"ledger": "é" * 32},
        {"ledger": 5},
        {"size": -1},
        {"size": 1.0},
        {"size": True},
        {"size": "1"},
        {"size": 1 << 63},
        {"head": "0" * 63},
        {"head": None},
        {"at_us": None},
        {"at_us": -5},
        {"signature": "00" * 63},
        {"signature": ""},
        {"public_key": None},
        {"public_key": "x" * 64},
        {"more": 1},
        {"\x1b[31m": 1},
    ],
)
def test_a_document_with_an_odd_field_is_no_checkpoint(checkpoint: Checkpoint, change: dict[str, Any]) -> None:
    data = json.dumps({**checkpoint.document(), **change}).encode()
    with pytest.raises(ConfigurationError, match="no checkpoint") as refused:
        Checkpoint.parse(data)
    assert "\x1b" not in str(refused.value)


@pytest.mark.parametrize("field", ["version", "ledger", "size", "head", "at_us", "signature"])
def test_a_document_without_a_field_is_no_checkpoint(checkpoint: Checkpoint, field: str) -> None:
    document = checkpoint.document()
    del document[field]
    with pytest.raises(ConfigurationError, match="no checkpoint"):
        Checkpoint.parse(json.dumps(document).encode())


@pytest.mark.parametrize(
    "data",
    [b"", b"x", b"[]", b"1", b"null", b"{}", b"\xff\xfe", b"[" * 4000, b'{"a":1,"a":1}', b" " * 5000, b"NaN", b"\0"],
)
def test_what_is_no_document_is_no_checkpoint(data: bytes) -> None:
    with pytest.raises(ConfigurationError, match="no checkpoint"):
        Checkpoint.parse(data)


def test_a_key_that_stands_twice_is_no_checkpoint(checkpoint: Checkpoint) -> None:
    data = json.dumps(checkpoint.document()).replace('"size"', '"size": 1, "size"').encode()
    with pytest.raises(ConfigurationError, match="twice"):
        Checkpoint.parse(data)


# --- keys ---


def test_a_new_pair_signs_and_verifies(path: Path) -> None:
    private, public = keys.new_pair()
    checkpoint = sign(verify_file(path), keys.private_key(private))
    assert verify_against(path, checkpoint, keys.public_key(public)).ok
    assert keys.new_pair()[0] != private


OTHERS = (
    rsa.generate_private_key(65537, 2048),
    ec.generate_private_key(ec.SECP256R1()),
    ed448.Ed448PrivateKey.generate(),
)


@pytest.mark.parametrize("other", OTHERS, ids=lambda key: type(key).__name__)
def test_a_key_of_another_kind_is_refused(other: Any) -> None:
    private = other.private_bytes(pem.Encoding.PEM, pem.PrivateFormat.PKCS8, pem.NoEncryption())
    public = other.public_key().public_bytes(pem.Encoding.PEM, pem.PublicFormat.SubjectPublicKeyInfo)
    for load, data in ((keys.private_key, private), (keys.public_key, public)):
        with pytest.raises(ConfigurationError, match="another kind"):
            load(data)


def test_the_wrong_half_of_a_pair_is_refused() -> None:
    private, public = keys.new_pair()
    with pytest.raises(ConfigurationError, match="public key; signing takes the private one"):
        keys.private_key(public)
    with pytest.raises(ConfigurationError, match="private key; verifying takes the public one"):
        keys.public_key(private)


def test_an_encrypted_key_is_refused_without_asking_for_a_passphrase() -> None:
    data = KEY.private_bytes(pem.Encoding.PEM, pem.PrivateFormat.PKCS8, pem.BestAvailableEncryption(b"x"))
    with pytest.raises(ConfigurationError, match="encrypted"):
        keys.private_key(data)


@pytest.mark.parametrize(
    "data", [b"", b"x", b"\xff" * 100, b"-----BEGIN PRIVATE KEY-----\nAAAA\n", b"{}", b"A" * 70_000]
)
def test_what_is_no_key_is_refused(data: bytes) -> None:
    for load in (keys.private_key, keys.public_key):
        with pytest.raises(ConfigurationError) as refused:
            load(data)
        assert "key" in str(refused.value)


@pytest.mark.parametrize("function", [keys.new_pair, lambda: keys.private_key(b""), lambda: keys.public_key(b"")])
def test_without_the_extra_the_answer_names_it(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'licet\[sign\]'"):
        function()
