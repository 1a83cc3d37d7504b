"""A question to the person at the controlling terminal, never on standard input."""

import os

DEVICE = "/dev/tty"


def ask(text: str, device: str | None = None) -> bool | None:
    """Whether they answered ``yes``, and nothing else, to all of the text; None: nobody is at a terminal.

    The text is shown with its control and format characters as ``\\uXXXX``.
    """
    import termios

    from .output import visible

    try:
        terminal = os.open(device or DEVICE, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        with os.fdopen(terminal, "r+b", buffering=0) as tty:
            if not tty.isatty():
                return None
            termios.tcflush(tty, termios.TCIFLUSH)  # what was typed before is no answer to this
            left = memoryview("\n".join(map(visible, text.split("\n"))).encode("utf-8", "backslashreplace"))
            while left:  # all of it, or there is no answer: a terminal may take less than it is given
                left = left[tty.write(left) or 0 :]
            return tty.readline(64).strip() == b"yes"
    except (OSError, termios.error):
        return None


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
