"""The grove's own server as a process of this command, for ``--mcp http``."""

import contextlib
import select
import subprocess
import time
from collections.abc import Iterator

from ..errors import ServerUnavailableError

_PATIENCE_S = 20.0
_END_S = 3.0


@contextlib.contextmanager
def grove_over_http() -> Iterator[str]:
    """Its URL on the loopback address; the process ends with the block, and with this process, however that ends.

    Raises:
        ServerUnavailableError: it did not say where it is.
    """
    from ..doors.mcp.environment import oracle_server
    from ..sources.mcp.keeper import Keeper
    from ..sources.mcp.spawn import environment

    server = oracle_server()
    process = subprocess.Popen(
        [server.command, *server.args, "--http", "0"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment({}),
        start_new_session=True,
    )
    keeper = Keeper()
    keeper.hold(process.pid)
    try:
        yield _url(process)
    finally:
        process.terminate()
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert process.stderr is not None
        process.stderr.close()
        keeper.release(process.pid)


def _url(process: "subprocess.Popen[bytes]") -> str:
    assert process.stderr is not None
    said, until_s = b"", time.monotonic() + _PATIENCE_S
    while not said.endswith(b"\n"):
        left_s = until_s - time.monotonic()
        if left_s <= 0 or not select.select([process.stderr], [], [], left_s)[0]:
            break
        read = process.stderr.read1(4096)  # type: ignore[attr-defined]
        if not read:
            break
        said += read
    told = said.decode("utf-8", "replace").strip()
    if not told.startswith("http://"):
        raise ServerUnavailableError(f"the grove's server did not start: {told or 'it said nothing'}", reason="exited")
    return told


__all__ = ["grove_over_http"]
