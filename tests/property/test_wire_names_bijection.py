"""Names that cross to a provider, and back: legal everywhere, one for each tool, for good, and nothing else decodes.

``LICET_WIRE_NAMES=1000000`` in the environment takes so many names instead of 50,000.
"""

import hashlib
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from licet.dialects.names import WireNames, identifier_name, is_identifier, wire_name
from licet.model.names import canonical, parse

COUNT = int(os.environ.get("LICET_WIRE_NAMES", "50000"))
SEED = 20261130

PROVIDERS = {
    "openai": r"[a-zA-Z0-9_-]{1,64}",
    "anthropic": r"[a-zA-Z0-9_-]{1,128}",
    "bedrock": r"[a-zA-Z0-9_-]{1,64}",
    "gemini": r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}",
    "mcp": r"[A-Za-z0-9_./-]{1,64}",
    "all of them": r"[A-Za-z_][A-Za-z0-9_-]{0,63}",
}
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}", re.ASCII)

encoders = pytest.mark.parametrize("encode", [wire_name, identifier_name], ids=["words", "identifiers"])
Encode = Callable[[str], str]


def generated(count: int, seed: int) -> list[str]:
    """So many different canonical names, many of them close to each other."""
    dice = random.Random(seed)
    found: dict[str, None] = {}
    for name in _endless(dice):
        found[canonical(name)] = None
        if len(found) == count:
            return list(found)
    raise AssertionError("there is no end of names")


def _endless(dice: random.Random) -> Iterator[str]:
    alphabets = ("ab_", "aB1-_.", "abcdefghijklmnopqrstuvwxyz_", "01lIoO_-.", "_-.", "XyZ")

    def word(most: int) -> str:
        letters = alphabets[dice.randrange(len(alphabets))]
        return dice.choice("abAB019lIoO") + "".join(dice.choices(letters, k=dice.randrange(most)))

    def id() -> str:
        return word(12).replace(".", "-")[:60]

    while True:
        kind = dice.randrange(10)
        if kind < 3:
            name = word(dice.choice((6, 20, 90)))
        elif kind < 7:
            name = f"{dice.choice(('mcp', 'mcp', id()))}/{id()}.{word(dice.choice((6, 20, 90)))}"
        elif kind < 8:
            name = f"p{id()}/{word(20)}"
        elif kind < 9:  # a name that looks like another's on the wire
            name = wire_name(f"mcp/{id()}.{word(10)}")
            if not name[0].isalnum():
                continue
        else:
            name = dice.choice(("class", "None", "match", "__", "a__b", "a___" + "0" * 16)) + dice.choice(("", word(6)))
            if not name[0].isalnum():
                continue
        if name.startswith("local/"):
            continue
        yield name
        if dice.random() < 0.3:  # and its neighbours
            yield name + dice.choice(("_", "-", ".", "a", "0"))
            yield name.replace("_", "-") if dice.random() < 0.5 else name.swapcase()


@pytest.fixture(scope="module")
def names() -> list[str]:
    return generated(COUNT, SEED)


@pytest.mark.requirement("wire.bijection")
@encoders
def test_no_two_of_many_tools_share_a_wire_name_and_each_is_legal_for_every_provider(
    names: list[str], encode: Encode
) -> None:
    wires = [encode(name) for name in names]
    assert len(set(wires)) == len(names)
    for provider, rule in PROVIDERS.items():
        legal = re.compile(rule, re.ASCII)
        assert [wire for wire in wires if legal.fullmatch(wire) is None] == [], provider
    if encode is identifier_name:
        assert all(IDENTIFIER.fullmatch(wire) and is_identifier(wire) for wire in wires)


@pytest.mark.requirement("wire.bijection")
@encoders
def test_each_name_decodes_to_its_own_tool_and_no_other_name_decodes(names: list[str], encode: Encode) -> None:
    offered, others = names[::2], names[1::2]
    request = WireNames(offered, encode=encode)
    assert request.refused == {}
    for name in offered:
        wire = request.encode(name)
        assert request.decode(wire) == name
        for close in (wire.swapcase(), wire + "_", wire[:-1], f" {wire}", f"{wire}\n", name, wire.replace("_", "-")):
            assert close == wire or request.decode(close) is None or encode(request.offered[close]) == close
    assert [name for name in others if request.decode(encode(name)) is not None] == []
    assert [name for name in others if request.decode(name) not in (None, _local(name))] == []


def _local(name: str) -> str | None:
    """The tool whose wire name is this text: a bare local name stays itself."""
    return canonical(name) if "/" not in name else None


@pytest.mark.requirement("wire.bijection")
@encoders
def test_a_wire_name_does_not_depend_on_order_or_company(names: list[str], encode: Encode) -> None:
    dice = random.Random(1)
    whole = WireNames(names, encode=encode).offered
    shuffled = names.copy()
    dice.shuffle(shuffled)
    assert WireNames(shuffled, encode=encode).offered == whole
    few = WireNames(dice.sample(names, 200), encode=encode).offered
    assert few.items() <= whole.items()


@pytest.mark.requirement("wire.bijection")
def test_a_wire_name_is_the_same_after_a_restart(names: list[str]) -> None:
    some = names[:2000]
    here = hashlib.sha256("\n".join([*map(wire_name, some), *map(identifier_name, some)]).encode()).hexdigest()
    script = (
        "import sys, json, hashlib\n"
        "from licet.dialects.names import wire_name, identifier_name\n"
        "some = json.load(sys.stdin)\n"
        "print(hashlib.sha256('\\n'.join([*map(wire_name, some), *map(identifier_name, some)]).encode()).hexdigest())"
    )
    for seed in ("1", "2"):
        environ = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C"}
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, input=json.dumps(some), capture_output=True, text=True, env=environ, check=True)
        assert done.stdout.strip() == here


def test_the_names_are_of_every_kind(names: list[str]) -> None:
    """Control: they would tell a recipe that only replaces what is not legal."""
    parsed = [parse(name) for name in names]
    assert sum(one.plugin == "local" for one in parsed) > len(names) / 10
    assert sum(bool(one.server) for one in parsed) > len(names) / 10
    wires = [wire_name(name) for name in names]
    assert sum("___" in wire for wire in wires) > len(names) / 10
    assert sum(len(wire) == 64 for wire in wires) > len(names) / 100
    assert sum(identifier_name(name) != wire for name, wire in zip(names, wires, strict=True)) > len(names) / 100
    replaced = {re.sub("[^A-Za-z0-9_-]", "_", name)[:64] for name in names}
    assert len(replaced) < len(names)
