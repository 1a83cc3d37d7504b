"""The oracle: what it declares, value by value, and that nothing but the seed decides what it says."""

import os
import subprocess
import sys
from math import prod
from types import SimpleNamespace

import jsonschema_rs
import pytest

from licet import ToolRegistry
from licet.bundles import GROUPS
from licet.bundles.grove import tools
from licet.bundles.grove.oracle import SPEC, oracle
from licet.bundles.grove.words import PARTS
from licet.errors import InvalidArgumentsError
from licet.model.names import short
from licet.model.tool import Annotations, Execution, ToolCapability

KNOWN = {
    "": "A limping owl will not answer for as long as it rains.",
    "red": "A rusted orchard outlives its maker between two rivers.",
    "a": "A salted fox sings to nobody at the seventh gate.",
    "ż": "A sleepless ladder counts to nine where two shadows meet.",
}


@pytest.mark.requirement("contract.explicit-metadata")
def test_the_oracle_declares_every_value() -> None:
    assert tools() == (SPEC,)
    assert (SPEC.name, SPEC.title) == ("local/oracle", "Oracle")
    assert SPEC.description == "Draw a cryptic omen. Params: {seed: str}."
    assert (SPEC.source, SPEC.tool_type, SPEC.schema_inferred) == ("builtin", "tool", False)
    assert (SPEC.group, SPEC.category) == ("grove", "utility")
    assert SPEC.annotations == Annotations(read_only=True, destructive=False, open_world=False, idempotent=True)
    assert SPEC.capabilities == ToolCapability(read_only=True, idempotent=True)
    assert SPEC.execution == Execution(mode="parallel", timeout_s=30.0, abortable=True, inline=True)
    assert (SPEC.path_access, SPEC.path_arguments) == ("none", ())
    for schema in (SPEC.input_schema, SPEC.output_schema):
        assert schema is not None
        jsonschema_rs.validator_for(dict(schema))
        assert (schema["type"], schema["additionalProperties"]) == ("object", False)
        assert set(schema["properties"]) == set(schema["required"])


def test_the_grove_is_none_of_the_four_groups() -> None:
    assert "oracle" not in {short(spec.name) for group in GROUPS.values() for spec in group()}


@pytest.mark.requirement("oracle.deterministic")
def test_an_omen_depends_on_its_seed_alone_and_is_the_one_that_it_always_was() -> None:
    assert {seed: oracle(seed)["omen"] for seed in KNOWN} == KNOWN


@pytest.mark.requirement("oracle.deterministic")
@pytest.mark.parametrize("hash_seed", ["0", "1", "4711"])
def test_another_process_with_another_hash_seed_draws_the_same_omens(hash_seed: str) -> None:
    code = "from licet.bundles.grove.oracle import oracle; print([oracle(str(n))['omen'] for n in range(200)])"
    environ = {**os.environ, "PYTHONHASHSEED": hash_seed, "LC_ALL": "C", "TZ": "Asia/Tokyo"}
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == repr([oracle(str(n))["omen"] for n in range(200)])


def test_there_are_hundreds_of_thousands_of_omens_and_seeds_spread_over_them() -> None:
    assert prod(map(len, PARTS)) == 589_824
    assert all(len(set(words)) == len(words) for words in PARTS)
    drawn = {oracle(f"seed {n}")["omen"] for n in range(2_000)}
    assert len(drawn) > 1_980
    for words in PARTS:
        assert all(any(word in omen for omen in drawn) for word in words), "every word is drawn"


def test_what_is_no_seed_is_refused_and_draws_nothing() -> None:
    with ToolRegistry() as registry:
        registry.register(SPEC)
        teller = SimpleNamespace(tools=["oracle"])
        assert registry.call("fortune-teller", teller, "oracle", {"seed": "red"}) == {"omen": KNOWN["red"]}
        for wrong in ({}, {"seed": 7}, {"seed": None}, {"seed": "red", "force": True}, {"Seed": "red"}):
            with pytest.raises(InvalidArgumentsError):
                registry.call("fortune-teller", teller, "oracle", wrong)
