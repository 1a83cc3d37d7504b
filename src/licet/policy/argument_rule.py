"""Rules of a grant: what the arguments of a call may be, beyond what the tool's schema says. They only tighten."""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..errors import ConfigurationError, RegistrationError
from ..model.json_object import JsonObject
from ..model.names import canonical, short
from ..model.principal import Principal
from ..model.tool import ToolSpec
from ..model.verdict import PERMIT, Deny, Verdict
from ..schema.pointer import legible
from ..schema.validate import compile
from .paths import below, components, unnameable
from .rules import Check

MAX_PATTERN_CHARACTERS = 1000
MAX_PATTERN_STEPS = 10_000
"""Of a compiled pattern; each may cost a few nanoseconds for each byte of a text."""

_POINTER = re.compile(r"(?:/(?:[^~/]|~[01])*)+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:", re.ASCII)


_UNSEEN = Deny(
    "rule_forbids",
    "there are rules for the arguments of this tool, and its provider runs it without showing them",
    reason="argument_rule",
    remedy="drop the rules, or take a tool that is called here",
)


class _Absent:
    """Stands where nothing was said, or where a pointer leads to nothing. ``None`` would be JSON's null."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Any = _Absent()


class Demand(NamedTuple):
    """One thing that a rule asks of a value."""

    is_met: Callable[[Any], bool]
    told: str


@dataclass(frozen=True, slots=True)
class Rule:
    """What one argument may be. ``pointer`` leads to it (``/path``; ``*`` is every element); all that is said holds.

    ``equals`` and ``one_of`` compare JSON values, ``pattern`` is for the whole text and in RE2's syntax, ``least`` and
    ``most`` are for numbers, ``under`` is a folder that a path lies in going by its spelling. An argument that is
    missing breaks the rule unless it is ``optional``.

    Raises:
        ConfigurationError: it says nothing, or what it says cannot be held.
    """

    pointer: str
    equals: Any = ABSENT
    one_of: Sequence[Any] | None = None
    pattern: str | None = None
    least: float | None = None
    most: float | None = None
    under: str | None = None
    optional: bool = False
    demands: tuple[Demand, ...] = field(init=False, repr=False, compare=False)
    steps: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.pointer, str) or not _POINTER.fullmatch(self.pointer):
            raise ConfigurationError(f"{self.pointer!r} is no pointer to an argument; use one such as '/path'")
        demands = tuple(_demands(self))
        if not demands:
            raise ConfigurationError(
                f"the rule for {self.pointer} asks nothing; use equals, one_of, pattern, least, most or under"
            )
        steps = tuple(step.replace("~1", "/").replace("~0", "~") for step in self.pointer.split("/")[1:])
        object.__setattr__(self, "demands", demands)
        object.__setattr__(self, "steps", steps)

    def broken_by(self, arguments: Mapping[str, Any]) -> str:
        """What is wrong with these arguments, as the end of a sentence, or an empty text."""
        for value in _found(arguments, self.steps):
            if value is ABSENT:
                if not self.optional:
                    return f"{self.pointer} is missing"
                continue
            for demand in self.demands:
                if not demand.is_met(value):
                    return f"{self.pointer} {demand.told}"
        return ""


def argument_rules(rules: Mapping[str, Sequence[Rule]]) -> Check:
    """Deny a call of these tools whose arguments break a rule. Listing is not about arguments, and permits.

    A tool that a model's provider runs itself is denied: nobody here sees its arguments.

    Raises:
        ConfigurationError: a name is no tool's name.
    """
    held: dict[str, tuple[Rule, ...]] = {}
    for name, of_tool in rules.items():
        held[canonical(name)] = (*held.get(canonical(name), ()), *of_tool)

    def argument_rule(principal: Principal, spec: ToolSpec, arguments: Mapping[str, Any] | None) -> Verdict:
        if arguments is None:
            return _UNSEEN if spec.source == "hosted" and held.get(spec.name) else PERMIT
        for rule in held.get(spec.name, ()):
            broken = rule.broken_by(arguments)
            if broken:
                problem = f"the operator's rule for {short(spec.name)!r} forbids this call: {broken}"
                return Deny("rule_forbids", problem, reason="argument_rule", remedy="ask the operator")
        return PERMIT

    return argument_rule


def _demands(rule: Rule) -> Iterator[Demand]:
    at = f"the rule for {rule.pointer}"
    if rule.equals is not ABSENT:
        yield Demand(_compiled({"const": rule.equals}, at), f"has to be {_shown(rule.equals)}")
    if rule.one_of is not None:
        if not isinstance(rule.one_of, list | tuple) or not rule.one_of:
            raise ConfigurationError(f"{at}: one_of is a list of one value or more, not {rule.one_of!r}")
        shown = ", ".join(map(_shown, rule.one_of))
        yield Demand(_compiled({"enum": list(rule.one_of)}, at), f"has to be one of {legible(shown, 400)}")
    if rule.pattern is not None:
        yield Demand(_matching(rule.pattern, at), f"has to be text that matches {_shown(rule.pattern)} as a whole")
    for bound, keyword, words in ((rule.least, "minimum", "at least"), (rule.most, "maximum", "at most")):
        if bound is not None:
            if isinstance(bound, bool) or not isinstance(bound, int | float) or not math.isfinite(bound):
                raise ConfigurationError(f"{at}: least and most are numbers, not {bound!r}")
            yield Demand(_compiled({"type": "number", keyword: bound}, at), f"has to be a number, {words} {bound}")
    if rule.least is not None and rule.most is not None and rule.least > rule.most:
        raise ConfigurationError(f"{at}: no number is at least {rule.least} and at most {rule.most}; swap the two")
    if rule.under is not None:
        yield Demand(_lying_under(rule.under, at), "has to be a path in the folder of the rule, without '..'")


def _compiled(schema: dict[str, Any], at: str) -> Callable[[Any], bool]:
    try:
        return compile(JsonObject(schema), where=at, tool_input=False).is_valid
    except (RegistrationError, ConfigurationError) as exc:
        raise ConfigurationError(f"{at}: {exc}") from None


def _matching(pattern: object, at: str) -> Callable[[Any], bool]:
    import re2

    if not isinstance(pattern, str) or len(pattern) > MAX_PATTERN_CHARACTERS:
        raise ConfigurationError(f"{at}: a pattern is text of at most {MAX_PATTERN_CHARACTERS} characters")
    options: Any = re2.Options()
    options.log_errors = False
    options.never_capture = True
    try:
        found = re2.compile(pattern.encode(), options)
    except (UnicodeEncodeError, re2.error):
        raise ConfigurationError(
            f"{at}: {_shown(pattern)} is no pattern in RE2's syntax; use one without look-around and back-references"
        ) from None
    if found.programsize > MAX_PATTERN_STEPS:
        raise ConfigurationError(f"{at}: the pattern comes to {found.programsize} steps; use smaller repetitions")
    fullmatch = found.fullmatch
    return lambda value: isinstance(value, str) and fullmatch(value.encode()) is not None


def _lying_under(folder: object, at: str) -> Callable[[Any], bool]:
    if unnameable(folder) is not None or not isinstance(folder, str) or not folder or ".." in components(folder):
        raise ConfigurationError(f"{at}: under is a folder without '..', such as 'src', not {folder!r}")
    absolute = folder.startswith("/")

    def lies_under(path: Any) -> bool:
        if unnameable(path) is not None or path.startswith("/") is not absolute or _says_more(path):
            return False
        return ".." not in components(path) and below(path, folder) is not None

    return lies_under


def _says_more(path: str) -> bool:
    """Whether some program would read more than a path: a home folder, a URL or drive, or another separator."""
    return path.startswith("~") or "\\" in path or _SCHEME.match(path) is not None


def _found(value: Any, steps: tuple[str, ...]) -> Iterator[Any]:
    """The values that steps lead to, and ABSENT for each way that ends before."""
    if not steps:
        yield value
        return
    step, rest = steps[0], steps[1:]
    inside: Iterator[Any] | list[Any]
    if step == "*" and isinstance(value, dict | list):
        inside = list(value.values()) if isinstance(value, dict) else value
    elif isinstance(value, dict):
        inside = [value[step]] if step in value else []
    elif isinstance(value, list) and step.isascii() and step.isdigit():
        inside = value[int(step) : int(step) + 1]
    else:
        inside = []
    if not inside:
        yield ABSENT
    for held in inside:
        yield from _found(held, rest)


def _shown(value: Any) -> str:
    return legible(json.dumps(value, ensure_ascii=False), 80)
