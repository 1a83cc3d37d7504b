"""A question to the person at the controlling terminal, never on standard input."""

import os

DEVICE = "/dev/tty"


def ask(text: str, device: str | None = None) -> bool | None:
    """Whether they answered ``yes``, and nothing else, to all of the text; None: nobody is at a terminal.

    The text is shown with its control and format characters as ``\\uXXXX``.
    """
    from ..approvals.typed import typed_yes
    from .output import visible

    return typed_yes("\n".join(map(visible, text.split("\n"))), device or DEVICE)


def somebody(device: str | None = None) -> bool:
    """Whether there is a terminal to ask at."""
    try:
        terminal = os.open(device or DEVICE, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.isatty(terminal)
    finally:
        os.close(terminal)


__all__ = ["DEVICE", "ask", "somebody"]
