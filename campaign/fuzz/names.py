"""The parser of names, against its grammar written out character by character."""

from campaign.fuzz.flaw import Flaw
from licet.errors import ConfigurationError
from licet.model import names
from licet.model.principal import GrantSet, Principal
from licet.model.tool import ToolSpec
from licet.policy.grants import covers

SEEDS = [
    "tool",
    "local/tool",
    "mcp/git.status",
    "a.b/c-d_e.f",
    "x" * 320,
    "Rn/m",
    "a/b/c",
    "/a",
    "a/",
    "tool\n",
    "\u00e9",
]
WORDS = ["local/", "/", ".", "-", "_", "mcp", "\n", "\0", "\u202e", "*", "?"]
MOST_BYTES = 400

_FIRST = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
_REST = _FIRST | set("._-")


def check(data: bytes) -> None:
    """Raises AssertionError: something about this name is not as it has to be."""
    name = data.decode("utf-8", "surrogateescape")
    right = _is_a_name(name)
    try:
        whole = names.canonical(name)
    except ConfigurationError:
        assert not right, f"{name!r} is a name and was refused"
        _refused_everywhere(name)
        return
    assert right, f"{name!r} is no name and was taken"
    assert whole == (name if "/" in name else f"local/{name}")
    assert names.canonical(whole) == whole
    assert names.canonical(names.short(whole)) == whole, "what is granted in short is the same tool"
    parsed = names.parse(name)
    assert parsed == names.parse(whole)
    rest = f"{parsed.server}.{parsed.tool}" if parsed.server else parsed.tool
    assert f"{parsed.plugin}/{rest}" == whole, f"{parsed} does not say {whole!r}"
    assert (parsed.server == "") or parsed.plugin != "local"
    by_case, by_look = names.skeletons(whole)
    assert names.skeletons(whole.swapcase())[0] == by_case
    assert names.skeletons(whole.replace("l", "I").replace("o", "0"))[1] == names.skeletons(by_look)[1]
    assert Principal("p", grants=[name]).grants == {whole}
    spec = ToolSpec(name=whole)
    assert spec.name == whole
    assert covers(GrantSet.glob(whole), spec)
    assert covers(GrantSet.glob("*/*"), spec)


def _refused_everywhere(name: str) -> None:
    for refuse in (names.parse, lambda n: Principal("p", grants=[n]), lambda n: ToolSpec(name=n)):
        try:
            refuse(name)
        except ConfigurationError:
            continue
        raise AssertionError(f"{name!r} is no name, and {refuse} took it")


def _is_a_name(name: str) -> bool:
    parts = (name if "/" in name else f"local/{name}").split("/")
    if len(parts) != 2 or sum(map(len, parts)) + 1 > 320:
        return False
    return all(part and part[0] in _FIRST and set(part) <= _REST for part in parts)


def _ends_with_a_line() -> None:
    """The oldest mistake with expressions: ``$`` also matches before a line's end."""
    import re

    class Careless:
        pattern = re.compile(names._CANONICAL.pattern + "$")

        def fullmatch(self, text: str) -> "re.Match[str] | None":
            return self.pattern.match(text)

    names._CANONICAL = Careless()  # type: ignore[assignment]


FLAW = Flaw("a name that may end with a line", _ends_with_a_line, ["tool", "mcp/git.status"])
