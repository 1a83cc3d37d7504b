"""Histories of blocks, as Anthropic's and Bedrock's are: messages in turn, none empty, none of one role twice."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .history import Step

Block = dict[str, Any]


def messages(steps: Sequence[Step], text_block: Callable[[str], Block]) -> tuple[list[Block], list[dict[str, Any]]]:
    """The system's blocks, wherever they stood, and the messages.

    What the user says after the results of a turn goes into their message, behind them. Blank text is refused by both
    providers, and left out.
    """
    system: list[Block] = []
    sent: list[dict[str, Any]] = []
    for step in steps:
        if step.kind in ("system", "user"):
            blocks = [text_block(step.content)] if step.content.strip() else []
            if step.kind == "system":
                system += blocks
                continue
            role = "user"
        elif step.kind == "turn":
            role, blocks = "assistant", list(step.content)
        else:
            role, blocks = "user", [block for message in step.content for block in message["content"]]
        if not blocks:
            continue
        if sent and sent[-1]["role"] == role:
            sent[-1]["content"] += blocks
        else:
            sent.append({"role": role, "content": blocks})
    return system, sent


def without_calls(
    sent: Sequence[dict[str, Any]], told: Callable[[Mapping[str, Any]], str | None], text_block: Callable[[str], Block]
) -> list[dict[str, Any]]:
    """The same messages for a request that offers no tool: both providers refuse calls and results in one.

    ``told`` says a call or a result as text, and nothing of any other block.
    """
    return [
        {
            **message,
            "content": [block if (text := told(block)) is None else text_block(text) for block in message["content"]],
        }
        for message in sent
    ]


__all__ = ["Block", "messages", "without_calls"]
