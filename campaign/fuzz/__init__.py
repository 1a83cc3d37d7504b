"""Coverage-guided fuzzing of the parser of names, of room 1 with the strict reader, and of the path code.

Each input is held against a slow second implementation, or against what the kernel says. An input that is found is
replayed with ``scripts/fuzz TARGET --replay BASE64``.
"""

from importlib import import_module

from campaign.fuzz.corpus import TARGETS
from campaign.fuzz.hunt import Hunt, NoFuzzerError, hunt
from campaign.report import Report, Say

FULL_S, SHORT_S, CONTROL_S = 180, 10, 20
"""Of each target."""


def run(
    seed: int,
    short: bool,
    say: Say,
    seconds: float | None = None,
    targets: tuple[str, ...] = TARGETS,
    control_s: int = CONTROL_S,
) -> Report:
    """Every target for so long, then each of them with its planted bug, which it has to find."""
    control = "a bug planted for each"
    try:
        hunts = [_told(hunt(target, seconds=_whole(seconds, short), seed=seed or 1), say) for target in targets]
        planted = {
            import_module(f"campaign.fuzz.{target}").FLAW.name: _told(
                hunt(target, seconds=control_s, seed=seed or 1, planted=True), say
            )
            for target in targets
        }
    except NoFuzzerError as missing:
        return Report("nothing was fuzzed", (str(missing),), control, False)
    figure = ", ".join(f"{one.target} {one.executions} inputs and {one.edges} branches" for one in hunts)
    missed = [name for name, one in planted.items() if not one.found]
    return Report(
        figure,
        tuple(f"{one.target}: {one.found}" for one in hunts if one.found),
        f"{control}: " + ", ".join(f"{name} (after {one.executions} inputs)" for name, one in planted.items()),
        not missed,
        {
            "hunts": [one._replace(grown=())._asdict() for one in hunts],
            "planted": {name: one._replace(grown=())._asdict() for name, one in planted.items()},
        },
    )


def _whole(seconds: float | None, short: bool) -> int:
    return max(1, round(seconds)) if seconds is not None else SHORT_S if short else FULL_S


def _told(one: Hunt, say: Say) -> Hunt:
    say(f"{one.target}: {one.executions} inputs, {one.edges} branches{', found ' + one.found if one.found else ''}")
    return one
