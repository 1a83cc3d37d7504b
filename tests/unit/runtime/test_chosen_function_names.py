"""Functions for a framework under names that somebody chose: the flat names of a profile's tools."""

import pytest

from doubles import over
from licet import Runtime, profiles
from licet.errors import ConfigurationError
from licet.testing import FakeTransport

OBSERVE = ("get_contract", "query_data", "simulate", "recommend")


def engine() -> Runtime:
    return Runtime([over(FakeTransport({"ok": True}), f"mcp/algenta.{tool}", source="mcp") for tool in OBSERVE])


@pytest.mark.requirement("profile.flat-names")
async def test_functions_of_a_profile_go_by_their_flat_names() -> None:
    async with engine() as runtime:
        who = profiles.principal("a", "govern", server="mcp/algenta")
        names = profiles.flat_names(spec.name for spec in runtime.specs())
        made = runtime.functions_for(who, names=names, rendered=False)
        assert [one.__name__ for one in made] == [f"algenta_{tool}" for tool in OBSERVE]
        assert await made[0]() == {"ok": True}


@pytest.mark.parametrize("name", ["a-b", "class", "algenta_simulate"])
async def test_a_chosen_name_that_is_none_or_anothers_is_refused(name: str) -> None:
    async with engine() as runtime:
        who = profiles.principal("a", "govern", server="mcp/algenta")
        names = {"mcp/algenta.get_contract": name, "mcp/algenta.simulate": "algenta_simulate"}
        with pytest.raises(ConfigurationError, match="cannot be the function"):
            runtime.functions_for(who, names=names)
