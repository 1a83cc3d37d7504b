"""An error is not emptiness: a profile that stands for no tool at all is refused by name."""

from collections.abc import Mapping, Sequence

from ..errors import ConfigurationError, ServerUnavailableError
from ..model.names import server_of
from ..model.principal import GrantSet, Principal
from ..model.tool import ToolSpec
from ..model.verdict import Deny
from ..policy.grants import covers


def refuse_emptiness(asked: Principal, specs: Sequence[ToolSpec], withheld: Mapping[str, Deny]) -> None:
    """For a run, in which ``withheld`` says why servers and tools are not registered.

    Raises:
        ConfigurationError: an engine that is there offers nothing of a profile.
    """
    for grant in asked.grant_sets:
        if grant.kind == "profile" and not any(covers(grant, spec) for spec in specs):
            name, _, engine = grant.value.partition("@")
            if not any(engine in (one, server_of(one)) for one in withheld):
                raise ConfigurationError(
                    f"the profile {name} resolves to no tool: {engine} offers none of it; register or connect its "
                    "engine first, or name another with server="
                )


def refuse_nothing_to_show(asked: Principal, specs: Sequence[ToolSpec], withheld: Mapping[str, Deny]) -> None:
    """The same for whoever is given tools and looks at nothing else.

    Raises:
        ConfigurationError: an engine offers nothing of a profile, or nothing that its run mode lists.
        ServerUnavailableError: it is not there.
    """
    for grant in asked.grant_sets:
        if grant.kind == "profile":
            _refuse_unseen(grant, asked, [spec for spec in specs if covers(grant, spec)], withheld)
    refuse_emptiness(asked, specs, withheld)


def _refuse_unseen(grant: GrantSet, asked: Principal, held: list[ToolSpec], withheld: Mapping[str, Deny]) -> None:
    name, _, engine = grant.value.partition("@")
    gone = withheld.get(engine)
    if not held and gone is not None:
        problem = f"the profile {name} resolves to no tool: {gone.message}"
        raise ServerUnavailableError(problem, tool_name=engine, reason=gone.reason)
    if held and asked.mode == "read_only" and not any(spec.capabilities.read_only for spec in held):
        raise ConfigurationError(
            f"the profile {name} lists no tool: of those of {engine} nobody said that they only read; "
            "the contract says it with McpServer(spec, word=licet.project.engine.word_on)"
        )


__all__ = ["refuse_emptiness", "refuse_nothing_to_show"]
