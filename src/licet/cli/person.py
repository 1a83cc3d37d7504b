"""Who is at the keyboard."""

import os


def person() -> str:
    """Their name as the system knows it; nothing that the environment could claim."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid {os.getuid()}"


__all__ = ["person"]
