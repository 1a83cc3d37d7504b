import asyncio

from licet import Principal, Runtime
from licet.testing import RecordingLedger, fake_tool


# --8<-- [start:test]
def test_a_reader_never_reaches_the_archive() -> None:
    archive, transport = fake_tool("archive", {"text": "old"})
    ledger = RecordingLedger()
    reader = Principal("reader", grants=["archive"])  # read_only, and archive is not declared to only read

    async def ask() -> None:
        async with Runtime([archive], ledger=ledger) as runtime:
            result = await runtime.call(reader, "archive")
            assert result.code == "mode_forbids"

    asyncio.run(ask())
    assert transport.calls == []
    assert ledger.kinds == ["tool.refused"]


# --8<-- [end:test]
test_a_reader_never_reaches_the_archive()
