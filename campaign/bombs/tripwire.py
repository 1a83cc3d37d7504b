"""What no schema may reach: a web server on this machine, and a file. Both notice who comes."""

import os
import socket
from pathlib import Path


class Tripwire:
    """``url`` leads to a socket that listens and never answers; who reads ``pipe`` waits for ever."""

    def __init__(self, folder: Path) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._socket.setblocking(False)
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.pipe = folder / "pipe.json"
        os.mkfifo(self.pipe)

    def visitors(self) -> tuple[str, ...]:
        """Who came since this was last asked."""
        found: list[str] = []
        while True:
            try:
                visitor, _ = self._socket.accept()
            except BlockingIOError:
                return tuple(found)
            visitor.close()
            found.append(self.url)

    def close(self) -> None:
        self._socket.close()
