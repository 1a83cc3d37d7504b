"""The file of another client, somebody at a terminal, and what came of both."""

import json
from pathlib import Path
from typing import Any

import pytest

from licet.cli import ask

CANARIES = [f"canary{number:02}Zq" for number in range(50)]

SOURCE: dict[str, Any] = {
    "mcpServers": {
        "eye": {
            "command": "uvx",
            "args": ["mcp-eye==1.2.0", "."],
            "env": {"EYE_TOKEN": CANARIES[0], "MODE": CANARIES[1]},
        },
        "ear": {"command": "npx", "args": ["-y", "@x/ear"], "type": "stdio", "autoApprove": ["listen"]},
    }
}


def source(folder: Path, said: Any = SOURCE, name: str = ".mcp.json") -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(said if isinstance(said, str) else json.dumps(said))


def answering(monkeypatch: pytest.MonkeyPatch, **answers: bool) -> list[str]:
    """Somebody at a terminal, who says yes where a question holds a word of ``answers`` that is true."""
    asked: list[str] = []

    def answer(text: str) -> bool:
        asked.append(text)
        return next((said for word, said in answers.items() if word in text), False)

    monkeypatch.setattr(ask, "somebody", lambda: True)
    monkeypatch.setattr(ask, "ask", answer)
    return asked


def written(folder: Path) -> str:
    return (folder / "licet.yaml").read_text()


def active(folder: Path) -> list[str]:
    """The lines of the file that are more than comments."""
    return [line for line in written(folder).split("\n") if line.strip() and not line.lstrip().startswith("#")]
