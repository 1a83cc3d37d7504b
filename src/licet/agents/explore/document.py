"""The report as JSON values."""

from dataclasses import fields, is_dataclass
from typing import Any

from .fact import Report


def document(report: Report) -> dict[str, Any]:
    """Everything, in the names of the facts; nothing is shortened."""
    shown: dict[str, Any] = _plain(report)
    return shown


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: _plain(part) for name, part in value._asdict().items()}
    return [_plain(part) for part in value] if isinstance(value, tuple) else value
