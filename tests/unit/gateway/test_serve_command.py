"""What ``licet serve`` refuses before anything is opened, started or listened to."""

import gc
import socket

import pytest

from licet.cli import main
from licet.gateway import http


@pytest.fixture(autouse=True)
def _nothing_is_opened(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    def never(port: int) -> socket.socket:
        raise AssertionError("nothing is listened to")

    monkeypatch.setattr(http, "listen", never)
    monkeypatch.setenv("LICET_HOME", f"{tmp_path}/state")
    monkeypatch.chdir(str(tmp_path))
    monkeypatch.delenv("LICET_TOKEN", raising=False)
    monkeypatch.delenv("LICET_DEPTH", raising=False)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "there is no licet.yaml here or above"),
        (("--no-token",), "--no-token goes with --http PORT"),
        (("--config", "gone.yaml"), "gone.yaml"),
        (("--config", ""), "names no file"),
        (("--",), "after -- comes the command of a server"),
        (("--agent", "x", "--", "true"), "drop --agent and --config"),
        (("--http", "65536", "--", "true"), "65536 is no port"),
        (("--http", "-1", "--", "true"), "-1 is no port"),
        (("--http", "x"), "invalid int value"),
    ],
)
def test_what_cannot_be_served_is_told(words: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert told in said.err


@pytest.mark.parametrize("token", ["", "short", "with a space in its middle", "ü" * 20, "x" * 513, "x" * 16 + "\n"])
def test_a_token_that_no_header_can_carry_is_refused(
    token: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LICET_TOKEN", token)
    assert main(["serve", "--http", "0", "--", "true"]) == 2
    assert "LICET_TOKEN has 16 to 512 visible ASCII characters" in capsys.readouterr().err


@pytest.mark.parametrize("depth", ["1", "2", "x"])
def test_behind_another_licet_it_does_not_begin(
    depth: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LICET_DEPTH", depth)
    assert main(["serve", "--", "true"]) == 2
    assert "licet does not serve licet" in capsys.readouterr().err


def test_the_collector_is_at_work_again_whatever_happened(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve"]) == 2
    assert gc.isenabled()
