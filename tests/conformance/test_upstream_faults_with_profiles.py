"""Two faults of real gateways, with profiles: side doors to a tool that is not shown, and an engine that is gone."""

from collections.abc import Iterator

import pytest

from licet import Runtime
from licet.conformance.spelling import SPELLINGS
from licet.dialects.untrusted import told
from licet.errors import ConfigurationError
from licet.profiles import flat_name, principal, shipped
from licet.testing import FakeTransport, RecordingLedger, fake_tool

SERVER = "mcp/algenta"
EXECUTE = "execute_decision"
ADMIN = "reindex"
CALL = {"decision_id": "d", "webhook_url": "https://hook.example/"}

NAMES = {
    "its name on the engine": EXECUTE,
    "its canonical name": f"{SERVER}.{EXECUTE}",
    "its name on the wire": f"mcp__algenta__{EXECUTE}",
    "its flat name": flat_name(EXECUTE),
    "behind another server": f"mcp/other.{EXECUTE}",
    "behind another plugin": f"algenta/algenta.{EXECUTE}",
    "a tool of the administration": f"{SERVER}.{ADMIN}",
    "its flat name, hidden": flat_name(ADMIN),
    **{f"spelled {how}": f"{SERVER}.{spell(EXECUTE)}" for how, spell in SPELLINGS.items()},
}


class Served:
    """An engine with all its tools and one more, behind one ledger."""

    def __init__(self) -> None:
        self.ledger = RecordingLedger()
        made = [
            fake_tool(f"{SERVER}.{name}", {"done": True}, read_only=tool.read_only)
            for name, tool in shipped().tools.items()
        ]
        made.append(fake_tool(f"{SERVER}.{ADMIN}", {"done": True}))
        self.transports: list[FakeTransport] = [transport for _, transport in made]
        self.runtime = Runtime([tool for tool, _ in made], ledger=self.ledger)


@pytest.fixture
def served() -> Iterator[Served]:
    made = Served()
    yield made
    made.runtime.close()


@pytest.mark.parametrize("profile", ["observe", "govern"])
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
async def test_no_other_name_of_a_tool_outside_the_profile_is_a_door_to_it(
    name: str, profile: str, served: Served
) -> None:
    holder = principal("model", profile, server=SERVER)
    async with served.runtime.run(holder) as run:
        shown = served.runtime.tools_for(run.principal)
        assert f"{SERVER}.{EXECUTE}" not in {spec.name for spec in shown}
        before = len(served.ledger.kinds)
        result = await run.call(name, CALL)
        assert (result.success, result.effect) == (False, "none")
        assert served.ledger.kinds[before:] == ["tool.refused"]
        assert [transport.calls for transport in served.transports if transport.calls] == []
        assert told(result) == {"error": "unknown_tool", "message": "there is no tool of this name"}


@pytest.mark.parametrize("name", ["Observe", "", "admin", "execute ", "full\n", "constructor"])
def test_a_profile_that_does_not_exist_is_no_door_either(name: str) -> None:
    with pytest.raises(ConfigurationError, match="there is no profile"):
        principal("model", name, server=SERVER)


async def test_the_control_under_execute_the_same_call_reaches_the_engine(served: Served) -> None:
    async with served.runtime.run(principal("model", "execute", server=SERVER)) as run:
        result = await run.call(f"{SERVER}.{EXECUTE}", CALL)
    assert result.success
    assert [transport.calls for transport in served.transports if transport.calls] == [[CALL]]
