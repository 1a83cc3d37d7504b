"""Who calls through a framework: a principal, a run that is open already, or a profile of an engine."""

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from ..errors import ConfigurationError
from ..model.names import LOCAL, server_of
from ..model.principal import Principal
from ..profiles.flat import flat_name
from ..profiles.guard import own_name
from ..profiles.holder import principal as profiled
from ..runtime.emptiness import refuse_nothing_to_show
from ..runtime.run import Run
from .word import Word

if TYPE_CHECKING:
    from ..runtime.runtime import Runtime

Who = Principal | Run | str
"""A name alone asks for a profile, which is ``observe`` where none is named."""


class Held(NamedTuple):
    """``word`` is None where the run has an approver of its own, who is asked instead of the framework.

    ``names`` are wire names by canonical name, for tools that have another than their own.
    """

    run: Run
    word: Word | None
    names: Mapping[str, str]


def held(
    runtime: "Runtime",
    who: Who,
    framework: str,
    *,
    profile: str | None,
    server: str,
    names: Mapping[str, str],
) -> Held:
    """The run in which a framework's calls are made. ``framework`` is the name under which its yes is recorded.

    Raises:
        ConfigurationError: the profile is none, resolves to no tool, or is asked for by somebody who has grants of
            their own.
        ServerUnavailableError: its engine is not there.
        LedgerUnavailableError: what grant sets expand to cannot be recorded.
    """
    if isinstance(who, Run):
        if profile is not None:
            raise ConfigurationError("a run has its grants already; give the name of a principal with profile=")
        run, engine = who, None if server == LOCAL else server
    else:
        holder, engine = _principal(who, profile, server)
        refuse_nothing_to_show(holder, runtime.specs(), runtime.withheld)
        run = runtime.begin(holder)
    if run.approver is None:
        run.approver = Word(framework)
    word = run.approver if isinstance(run.approver, Word) else None
    return Held(run, word, {**_flat(runtime, run, engine), **names})


def _principal(who: Principal | str, profile: str | None, server: str) -> tuple[Principal, str | None]:
    """The principal, and the engine whose tools have flat names, if there is one."""
    if isinstance(who, str):
        return profiled(who, profile, server=server), server
    if profile is not None:
        if who.grants or who.grant_sets:
            raise ConfigurationError(
                f"{who.name!r} has grants of its own, and a profile sets grants and mode; "
                "give a name with profile=, or add licet.profiles.grant(...) to the grants"
            )
        return profiled(who.name, profile, server=server, paths=who.paths), server
    engines = [each.value.partition("@")[2] for each in who.grant_sets if each.kind == "profile"]
    return who, engines[0] if engines else None if server == LOCAL else server


def _flat(runtime: "Runtime", run: Run, engine: str | None) -> dict[str, str]:
    """The flat names of an engine's tools. One whose name cannot be flat keeps its wire name."""
    flat: dict[str, str] = {}
    if engine is not None:
        for spec in runtime.specs():
            if spec.name in run.principal.grants and _is_of(spec.name, engine):
                with suppress(ConfigurationError):
                    flat[spec.name] = flat_name(own_name(spec.name))
    return flat


def _is_of(name: str, engine: str) -> bool:
    return name.startswith(f"{LOCAL}/") if engine == LOCAL else server_of(name) == engine


__all__ = ["Held", "Who", "held"]
