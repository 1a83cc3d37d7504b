"""An error is not emptiness: a profile that stands for no tool at all is refused by name."""

from collections.abc import Mapping

from ..errors import ConfigurationError, ServerUnavailableError
from ..model.names import LOCAL, server_of
from ..model.principal import GrantSet, Principal
from ..model.verdict import Deny


def refuse_emptiness(
    asked: Principal, holder: Principal, withheld: Mapping[str, Deny], *, unavailable_too: bool = False
) -> None:
    """Look at each profile of ``asked``, which expanded to the exact grants of ``holder``.

    ``withheld`` says why servers and tools are not registered. What is said there is not said again, unless
    ``unavailable_too``: for whoever looks at the tools alone.

    Raises:
        ConfigurationError: an engine offers nothing of the profile.
        ServerUnavailableError: it is not there.
    """
    for grant in asked.grant_sets:
        if grant.kind != "profile":
            continue
        name, _, engine = grant.value.partition("@")
        if any(_is_of(grant, engine, one) for one in holder.grants):
            continue
        gone = withheld.get(engine)
        if gone is not None and unavailable_too:
            raise ServerUnavailableError(
                f"the profile {name} resolves to no tool: {gone.message}", tool_name=engine, reason=gone.reason
            )
        if gone is None and all(server_of(one) != engine for one in withheld):
            raise ConfigurationError(
                f"the profile {name} resolves to no tool: {engine} offers none of it; register or connect its engine "
                "first, or name another with server="
            )


def _is_of(grant: GrantSet, engine: str, name: str) -> bool:
    if grant.tools is not None:
        return name in grant.tools
    return name.startswith(f"{LOCAL}/") if engine == LOCAL else server_of(name) == engine


__all__ = ["refuse_emptiness"]
