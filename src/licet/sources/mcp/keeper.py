"""What kills the groups of our servers when this process is gone, however it went.

The kernel does so for a server itself. But a command like ``npx`` is only the parent of one, and what it started would
stay. So a shell waits at the end of a pipe for it to break.
"""

import contextlib
import os
import subprocess
import sys

_SCRIPT = """
trap '' HUP INT TERM
groups=
while read -r sign group; do
    rest=
    for one in $groups; do [ "$one" = "$group" ] || rest="$rest $one"; done
    groups=$rest
    [ "$sign" = - ] || groups="$groups $group"
done
for one in $groups; do kill -s KILL -- "-$one"; done
"""
_SHELL = "/bin/sh"


class Keeper:
    """One for all servers of this process, and only while there are any. Used by one thread."""

    def __init__(self) -> None:
        self._groups: set[int] = set()
        self._shell: subprocess.Popen[bytes] | None = None

    def hold(self, group: int) -> None:
        """Kill this group if this process ends."""
        self._groups.add(group)
        if self._shell is None and sys.platform == "linux":
            with contextlib.suppress(OSError):  # without a shell only the kernel does its part
                self._shell = subprocess.Popen(
                    [_SHELL, "-c", _SCRIPT],
                    bufsize=0,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd="/",
                    env={},
                    start_new_session=True,
                )
        self._tell("+", group)

    def release(self, group: int) -> None:
        """It was killed, and its number may belong to somebody else. With the last of them the shell ends."""
        self._groups.discard(group)
        self._tell("-", group)
        if not self._groups and self._shell is not None:
            shell, self._shell = self._shell, None
            assert shell.stdin is not None
            shell.stdin.close()
            shell.wait()

    def _tell(self, sign: str, group: int) -> None:
        if self._shell is not None and self._shell.stdin is not None:
            with contextlib.suppress(OSError):
                os.write(self._shell.stdin.fileno(), f"{sign} {group}\n".encode())
