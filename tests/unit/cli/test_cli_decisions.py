"""The commands of the decision engine say what is wrong in a line, and show nothing that is secret."""

from pathlib import Path

import pytest

from engines import ENVIRON, written
from licet.cli import main


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in ENVIRON.items():
        monkeypatch.setenv(name, value)
    made = tmp_path / "engine.yaml"
    made.write_text(written(9, "{min_confidence: 60}"))
    return made


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["serve", "--config", "missing.yaml"], 2, "there is no such file"),
        (["serve", "--config", "FILE"], 2, "engine.yaml:11: policy.min_confidence: it is too large"),
        (["serve", "--config", "FILE", "--http", "99999"], 2, "99999 is no port"),
        (["serve"], 2, "--config"),
        (["operator", "--config", "FILE", "keys"], 2, "policy.min_confidence"),
        (["operator", "--config", "FILE"], 2, "ACTION"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(
    words: list[str], code: int, told: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["decisions", *(str(file) if word == "FILE" else word for word in words)]) == code
    said = capsys.readouterr()
    assert told in said.err
    assert "Traceback" not in said.err
    assert not any(secret in said.out + said.err for secret in ENVIRON.values())


def test_an_operator_needs_no_key_of_a_caller_and_is_told_that_nobody_answers(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(written(9))
    for name in ENVIRON.keys() - {"OPERATOR"}:
        monkeypatch.delenv(name)
    assert main(["decisions", "operator", "--config", str(file), "keys"]) == 2
    assert "add --port" in capsys.readouterr().err
    assert main(["decisions", "operator", "--config", str(file), "--port", "1", "keys"]) == 4
    assert "no operator's port answers on 127.0.0.1:1" in capsys.readouterr().err
    monkeypatch.delenv("OPERATOR")
    assert main(["decisions", "operator", "--config", str(file), "--port", "1", "keys"]) == 2
    assert "the variable OPERATOR is not set" in capsys.readouterr().err
