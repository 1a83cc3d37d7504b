"""No value that another client wrote down is in anything that ``licet init`` writes or says."""

from pathlib import Path

import pytest
from other_client import CANARIES, source, written
from said import Licet

from licet.project.config import load


def test_what_to_set_is_listed_and_no_value_is_in_any_output(folder: Path, home: Path, licet: Licet) -> None:
    entries = {}
    for number, canary in enumerate(CANARIES[:-8]):
        entries[f"s{number}"] = {"command": "a", "env": {"TOKEN": canary}}
    entries["args"] = {
        "command": "docker",
        "args": ["-e", f"API_KEY={CANARIES[-1]}", "--token", CANARIES[-2], f"--password={CANARIES[-3]}"],
    }
    entries["more"] = {"command": "a", "args": [f"postgres://me:{CANARIES[-4]}@host/db", f"x{CANARIES[-3]}y"]}
    entries["web"] = {
        "url": f"https://me:{CANARIES[-5]}@example.com/mcp?api_key={CANARIES[-6]}",
        "headers": {"X-Key": CANARIES[-7]},
    }
    entries["bearer"] = {"url": "https://example.com", "headers": {"Authorization": f"Bearer {CANARIES[-8]}"}}
    source(folder, {"mcpServers": entries})
    said = [licet("init", "--dry-run"), licet("init", "--dry-run", "--json"), licet("init")]
    everything = "".join(one.out + one.err for one in said) + written(folder) + (folder / "licet.lock").read_text()
    for path in home.rglob("*"):
        everything += path.read_text() if path.is_file() else ""
    assert [canary for canary in CANARIES if canary in everything] == []
    assert "  TOKEN  (s0: env TOKEN)\n" in said[-1].out
    assert "  S1_TOKEN  (s1: env TOKEN)\n" in said[-1].out
    text = written(folder)
    assert 'Authorization: "Bearer ${BEARER_TOKEN}"' in text
    assert 'url: "https://example.com/mcp?api_key=${WEB_API_KEY}"' in text
    assert 'Authorization: "Basic ${WEB_TOKEN}"' in text
    assert '"postgres://me:${MORE_PASSWORD}@host/db"' in text
    check = licet("check")
    assert "secret" not in check.out


@pytest.mark.parametrize(
    ("args", "kept"),
    [
        (["--key-file", "/etc/key"], ["--key-file", "/etc/key"]),
        (["--author", "somebody"], ["--author", "somebody"]),
        (["/srv/licet", "sub-folder"], ["/srv/licet", "sub-folder"]),
        (["@x/y@1.2.3", "--verbose=true"], ["@x/y@1.2.3", "--verbose=true"]),
        (["--token", "${HELD}"], ["--token", "${HELD}"]),
        (["ghp_abcdefghijklmnopqrstuvwx"], ["${A_TOKEN}"]),
        (["--header", "X-Api-Key: abc"], ["--header", "X-Api-Key: ${A_X_API_KEY}"]),
        (["https://x/?a=1&access_token=abc#top"], ["https://x/?a=1&access_token=${A_ACCESS_TOKEN}#top"]),
        (["sh", "-c", "TOKEN=abc"], ["sh", "-c", "TOKEN=${TOKEN}"]),
        (["sh", "-c", "run --token abc now"], ["sh", "-c", "run --token ${A_TOKEN} now"]),
        (['{"password": "abc"}'], ['{"password": "${A_PASSWORD}"}']),
        (["${unclosed"], ["$${unclosed"]),
        (["--key", "${input:the-key}"], ["--key", "${THE_KEY}"]),
        (["${userHome}/x", "${workspaceFolder}"], ["${HOME}/x", "${workspaceFolder}"]),
    ],
)
def test_secrets_in_arguments_become_variables_and_the_rest_stays(
    args: list[str], kept: list[str], folder: Path, licet: Licet
) -> None:
    source(folder, {"mcpServers": {"a": {"command": "a", "args": args}}})
    assert licet("init").code == 0
    (server,) = load(folder / "licet.yaml").servers
    assert [*server.args] == kept
