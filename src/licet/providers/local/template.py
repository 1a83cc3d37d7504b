"""A conversation as tokens. The marks between its messages are the template's; no message can write one."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..key import sdk
from .engine import Engine

_PLACE = "\ue000{}\ue001"
"""Stands for a message while the template is filled in: of characters that nobody uses."""

_PLACES = re.compile("\ue000(\\d+)\ue001")
_CHATML = (
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n'}}"
    "{% endfor %}{% if add_generation_prompt %}{{'<|im_start|>assistant\n'}}{% endif %}"
)


class Template:
    """The model's own chat template, else ChatML."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        formats = sdk("llama_cpp.llama_chat_format", extra="local")
        text = engine.metadata.get("tokenizer.chat_template") or _CHATML
        words = {"eos_token": engine.word(engine.end), "bos_token": engine.word(engine.begin)}
        self._formatter = formats.Jinja2ChatFormatter(text, **words)

    def tokens(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
        """All of a conversation, up to where the model goes on. Messages are text, whatever marks they hold."""
        texts = [message["content"] for message in messages]
        filled = self._filled([message["role"] for message in messages])
        found: list[int] = []
        for at, piece in enumerate(_PLACES.split(filled)):
            if piece:
                found += self._engine.tokens(texts[int(piece)] if at % 2 else piece, special=not at % 2)
        return found

    def _filled(self, roles: list[str]) -> str:
        """The template with a place for each message. One that knows no system gets it before the first user."""
        messages = [{"role": role, "content": _PLACE.format(at)} for at, role in enumerate(roles)]
        for shape in (messages, _alternating(messages, "system"), _alternating(messages, "user")):
            try:
                filled: str = self._formatter(messages=shape).prompt
            except Exception:
                continue
            if len(_PLACES.findall(filled)) == len(roles):
                return filled
        marks: Any = _CHATML
        formats = sdk("llama_cpp.llama_chat_format", extra="local")
        plain: str = formats.Jinja2ChatFormatter(marks, eos_token="", bos_token="")(messages=messages).prompt
        return plain


def _alternating(messages: list[dict[str, str]], system: str) -> list[dict[str, str]]:
    """Messages of one role put together, those of the system under the role ``system``."""
    joined: list[dict[str, str]] = []
    for message in messages:
        role = system if message["role"] == "system" else message["role"]
        if joined and joined[-1]["role"] == role:
            joined[-1]["content"] += "\n\n" + message["content"]
        else:
            joined.append({"role": role, "content": message["content"]})
    return joined


__all__ = ["Template"]
