"""The SDK is an extra, and says nothing of what servers said."""

import logging
import sys

import pytest

from licet.errors import ServerUnavailableError
from licet.model.server import ServerSpec
from licet.sources.mcp import sdk
from licet.sources.mcp.connection import Connection
from licet.sources.mcp.errand import CURRENT, Errand


async def test_without_the_extra_a_server_is_unavailable_and_the_extra_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    sdk._load.cache_clear()
    connection = Connection(ServerSpec(id="x", command="true"))
    with pytest.raises(ServerUnavailableError, match=r"pip install 'licet\[mcp\]'") as caught:
        await connection.list_tools()
    assert caught.value.reason == "mcp_missing"
    await connection.close()
    sdk._load.cache_clear()


async def test_what_the_sdk_logs_of_our_servers_is_dropped_and_of_others_kept(caplog: pytest.LogCaptureFixture) -> None:
    await sdk.load()
    log = logging.getLogger("mcp.client.streamable_http")
    token = CURRENT.set(Errand("call"))
    log.error("what a server said")
    CURRENT.reset(token)
    log.error("what another said")
    assert [record.getMessage() for record in caplog.records] == ["what another said"]
