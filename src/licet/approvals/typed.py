"""The word of whoever sits at a terminal. Never standard input."""

import os
import termios


def typed_yes(text: str, device: str) -> bool | None:
    """Whether ``yes``, and nothing else, was typed once all of the text was shown; None: there is no terminal.

    The text is written as it is: whoever asks has escaped what acts on a terminal. Blocks until a line is typed.
    """
    try:
        terminal = os.open(device, os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return None
    try:
        with os.fdopen(terminal, "r+b", buffering=0) as tty:
            if not tty.isatty():
                return None
            termios.tcflush(tty, termios.TCIFLUSH)  # what was typed before is no answer to this
            left = memoryview(text.encode("utf-8", "backslashreplace"))
            while left:  # all of it, or there is no answer: a terminal may take less than it is given
                left = left[tty.write(left) or 0 :]
            return tty.readline(64).strip() == b"yes"
    except (OSError, termios.error):
        return None


__all__ = ["typed_yes"]
