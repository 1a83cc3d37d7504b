"""A stranger's schema and a stranger's value together cost a bounded time, or are refused."""

import time
from collections.abc import Callable
from typing import Any

import jsonschema_rs
import pytest

from licet.errors import RegistrationError
from licet.model.json_object import JsonObject
from licet.schema import validate
from licet.schema.patterns import MOST_CHARACTERS_OF_ALL, MOST_PATTERN_CHARACTERS, MOST_PATTERNS
from licet.schema.references import References
from licet.schema.unfolding import MOST_VISITS, Unfolding
from licet.schema.validate import Validator, compile

PATIENCE_S = 0.1


def timed(action: Callable[[], Any]) -> Any:
    """The result. The thread's own time counts, the best of three runs: somebody else may use the machine."""
    best = float("inf")
    for _ in range(3):
        start = time.thread_time()
        result = action()
        best = min(best, time.thread_time() - start)
        if best < PATIENCE_S:
            return result
    raise AssertionError(f"it took {best:.3f} s")


def built(schema: dict[str, Any]) -> Validator:
    def attempt() -> Validator:
        validate._compiled.cache_clear()  # or only the first of several runs would say anything
        return compile(whole, where="bomb", tool_input=False)

    whole = JsonObject(schema)
    return timed(attempt)  # type: ignore[no-any-return]


def refusal(schema: dict[str, Any]) -> str:
    def attempt() -> str:
        with pytest.raises(RegistrationError) as caught:
            compile(whole, where="bomb", tool_input=False)
        return str(caught.value)

    whole = JsonObject(schema)
    return timed(attempt)  # type: ignore[no-any-return]


def check(schema: dict[str, Any], value: Any) -> bool:
    """Whether the value fits; that, and finding out why not, is bounded."""
    validator = built(schema)
    fits: bool = timed(lambda: validator.is_valid(value))
    assert bool(timed(lambda: validator.errors(value))) is not fits
    return fits


# --- references that multiply ---


def fan(depth: int, hold: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """``d0`` refers to ``d1`` in two ways, ``d1`` to ``d2``, and so on."""
    definitions = {f"d{number}": hold({"$ref": f"#/$defs/d{number + 1}"}) for number in range(depth)}
    return {"$defs": {**definitions, f"d{depth}": {"type": "string"}}, "$ref": "#/$defs/d0"}


TWO_WAYS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "allOf": lambda ref: {"allOf": [ref, ref]},
    "anyOf": lambda ref: {"anyOf": [ref, ref]},
    "oneOf and not": lambda ref: {"oneOf": [ref], "not": ref},
    "if": lambda ref: {"if": ref, "then": ref},
    "beside a $ref": lambda ref: {**ref, "allOf": [ref]},
    "one member twice": lambda ref: {"allOf": [{"properties": {"a": ref}}, {"properties": {"a": ref}}]},
    "member and pattern": lambda ref: {"properties": {"a": ref}, "patternProperties": {"^a": ref}},
    "member and others": lambda ref: {"allOf": [{"properties": {"a": ref}}, {"additionalProperties": ref}]},
    "items twice": lambda ref: {"anyOf": [{"items": ref}, {"items": ref}]},
    "contains": lambda ref: {"items": ref, "contains": ref},
    "dependent": lambda ref: {"dependentSchemas": {"a": ref, "b": ref}},
}


@pytest.mark.parametrize("hold", TWO_WAYS.values(), ids=TWO_WAYS)
@pytest.mark.parametrize("depth", [20, 26, 60])
def test_references_that_multiply_are_refused(hold: Callable[[dict[str, Any]], dict[str, Any]], depth: int) -> None:
    message = refusal(fan(depth, hold))
    assert "multiply" in message
    assert "(at /$defs/d" in message


@pytest.mark.parametrize("hold", TWO_WAYS.values(), ids=TWO_WAYS)
def test_references_that_multiply_little_are_fine(hold: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    schema = fan(8, hold)
    for value in ("text", 5, {"a": {"a": 1}, "b": 2}, [[1]]):
        check(schema, value)


def test_without_the_count_the_validator_itself_is_exponential() -> None:
    def seconds(depth: int) -> float:
        bare = jsonschema_rs.validator_for(fan(depth, TWO_WAYS["allOf"]))
        start = time.thread_time()
        bare.is_valid("text")
        return time.thread_time() - start

    assert min(seconds(18) for _ in range(3)) > 10 * min(seconds(10) for _ in range(3))


def test_two_members_that_share_a_definition_do_not_multiply() -> None:
    schema = fan(60, lambda ref: {"properties": {"left": ref, "right": ref}, "prefixItems": [ref, True]})
    assert check(schema, {"left": {"right": {"left": {}}}})


def test_a_bomb_hidden_behind_a_recursion_is_refused() -> None:
    schema = fan(26, TWO_WAYS["one member twice"])
    schema["$defs"]["d26"] = {"$ref": "#/$defs/d0"}
    assert "multiply" in refusal(schema)


def test_a_bomb_behind_odd_spellings_of_references_is_refused() -> None:
    schema = fan(26, lambda ref: {"allOf": [ref, {"$ref": ref["$ref"].replace("$", "%24")}]})
    assert "multiply" in refusal(schema)
    anchored = {
        "$ref": "#a0",
        "$defs": {
            f"d{number}": {
                "$anchor": f"a{number}",
                "allOf": [{"$ref": f"#a{number + 1}"}, {"$dynamicRef": f"#a{number + 1}"}],
            }
            for number in range(26)
        },
    }
    anchored["$defs"]["d26"] = {"$anchor": "a26"}
    assert "multiply" in refusal(anchored)


def test_a_bomb_where_no_keyword_holds_it_is_refused() -> None:
    schema = fan(26, TWO_WAYS["allOf"])
    hidden = {"x-parts": {name: schema["$defs"][name] for name in schema["$defs"]}, "$ref": "#/x-parts/d0"}
    text = JsonObject(hidden).json.replace(b"#/$defs/", b"#/x-parts/")
    assert "multiply" in refusal(JsonObject(text).copy())


@pytest.mark.parametrize("keyword", ["unevaluatedProperties", "unevaluatedItems"])
def test_unevaluated_keywords_that_multiply_are_refused(keyword: str) -> None:
    def chain(depth: int) -> dict[str, Any]:
        schema: dict[str, Any] = {"properties": {"a": True}, "prefixItems": [True]}
        for _ in range(depth):
            schema = {keyword: False, "allOf": [schema]}
        return schema

    for value in ({"a": 1}, {"b": 1}, [1], [1, 2]):
        check(chain(6), value)
    assert "multiply" in refusal(chain(14))
    assert "multiply" in refusal(chain(30))


def test_long_chains_of_references_are_followed() -> None:
    chain: dict[str, Any] = {f"d{number}": {"$ref": f"#/$defs/d{number + 1}"} for number in range(2000)}
    assert not check({"$ref": "#/$defs/d0", "$defs": {**chain, "d2000": {"type": "string"}}}, 5)
    assert check({"$ref": "#/$defs/d0", "$defs": {**chain, "d2000": {"$ref": "#/$defs/d0"}}}, 5)


def test_many_wide_definitions_are_counted_in_bounded_time() -> None:
    wide = {"properties": {f"p{number}": {"type": "string"} for number in range(1000)}}
    assert "multiply" in refusal({"allOf": [{"$ref": "#/$defs/a"}] * 2000, "$defs": {"a": wide}})


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}, {"$ref": "#"}]},
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
        {"not": {"not": {"$ref": "#"}}},
        {"$dynamicRef": "#a", "$dynamicAnchor": "a"},
    ],
    ids=str,
)
def test_a_schema_that_only_refers_to_itself_ends(schema: dict[str, Any]) -> None:
    check(schema, {"a": [1]})


# --- values that drive a recursive schema ---


def branch(number: int, inner: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"args": {"type": "array", "items": inner}, f"p{number}": {}}}


RECURSIVE = {
    "anyOf": {"$defs": {"e": {"anyOf": [branch(n, {"$ref": "#/$defs/e"}) for n in range(5)] + [{"type": "string"}]}}},
    "oneOf": {"$defs": {"e": {"oneOf": [branch(n, {"$ref": "#/$defs/e"}) for n in range(5)] + [{"type": "string"}]}}},
    "allOf": {"$defs": {"e": {"allOf": [branch(n, {"$ref": "#/$defs/e"}) for n in range(5)]}}},
    "unevaluated": {"$defs": {"e": {"allOf": [branch(1, {"$ref": "#/$defs/e"})], "unevaluatedProperties": False}}},
    "two by two": {
        "$defs": {
            "e": {"anyOf": [branch(1, {"$ref": "#/$defs/f"}), branch(2, {"$ref": "#/$defs/f"})]},
            "f": {"anyOf": [branch(3, {"$ref": "#/$defs/e"}), branch(4, {"$ref": "#/$defs/e"})]},
        }
    },
}


@pytest.mark.parametrize("schema", RECURSIVE.values(), ids=RECURSIVE)
@pytest.mark.parametrize("leaf", [5, "text", {"args": 1}, {"other": 1}], ids=str)
@pytest.mark.parametrize("levels", [1, 3, 10, 31])
def test_a_deep_value_does_not_multiply_the_checks_of_a_recursive_schema(
    schema: dict[str, Any], leaf: Any, levels: int
) -> None:
    value = leaf
    for _ in range(levels):
        value = {"args": [value]}
    check({**schema, "$ref": "#/$defs/e"}, value)


def test_a_problem_in_a_shallow_recursive_value_is_still_placed() -> None:
    tree = {
        "$defs": {
            "t": {
                "type": "object",
                "properties": {"left": {"$ref": "#/$defs/t"}, "right": {"$ref": "#/$defs/t"}},
                "additionalProperties": False,
            }
        },
        "$ref": "#/$defs/t",
    }
    value: Any = 5
    for side in ("left", "right") * 20:
        value = {side: value}
    found = built(tree).errors(value)
    assert found[0].pointer.count("/") == 40


def test_a_count_grows_with_depth_only_where_branches_share_a_value() -> None:
    def growth(schema: dict[str, Any], depth: int) -> int:
        return Unfolding(References(schema)).visits(depth)

    union = {**RECURSIVE["anyOf"], "$ref": "#/$defs/e"}
    assert growth(union, 2) < growth(union, 8) < growth(union, 64) == MOST_VISITS + 1
    chain = {"$defs": {"e": branch(1, {"$ref": "#/$defs/e"})}, "$ref": "#/$defs/e"}
    assert growth(chain, 2) == growth(chain, 64)


def test_a_large_value_is_refused_in_bounded_time_and_its_first_problem_is_told_where_that_is_cheap() -> None:
    numbers = list(range(100_000))
    assert built({"items": {"type": "string"}}).errors(numbers)[0].pointer == "/0"
    assert not check({"items": {"type": "string"}}, numbers)
    assert not check({"anyOf": [{"items": {"type": "string"}}, {"type": "string"}]}, numbers)


def test_large_values_under_other_costly_keywords_are_checked_in_bounded_time() -> None:
    assert check({"uniqueItems": True}, [{"a": number, "b": [number]} for number in range(4000)])
    assert check({"items": {"enum": [f"x{number}" for number in range(5000)]}}, ["x4999"] * 2000)
    check({"multipleOf": 0.1}, 2**64 - 1)
    check({"multipleOf": 5e-324}, 1.7e308)


# --- patterns ---


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("^(a+)+$", "a" * 28 + "!"),
        ("^(a+)+$", "a" * 5000 + "!"),
        ("^(a|aa)+$", "a" * 5000 + "!"),
        ("(x+x+)+y", "x" * 5000),
        ("^(?=(a+)+$)x", "a" * 5000 + "!"),
        ("^(?=(a+)+$)x", "a" * 4000 + "!"),
        ("(a|a?)+\\1$", "a" * 4000 + "!"),
        ("(?<!a)b+$", "b" * 4000 + "a"),
        ("(?<!a)b+$", "b" * 1_000_000 + "a"),
        ("(?=a*c)a", "a" * 4000),
        ("^(.+)\\1$", "ab" * 2000 + "!"),
        ("\\d+\\s*$", "1" * 5000 + "x"),
    ],
    ids=lambda case: case[:20],
)
def test_a_pattern_that_hangs_other_engines_ends(pattern: str, text: str) -> None:
    assert not check({"pattern": pattern}, text)
    assert not check({"properties": {"a": {"type": "string", "pattern": pattern}}}, {"a": text})


def test_a_pattern_that_looks_around_is_tried_on_short_texts_only() -> None:
    schema = {"type": "object", "properties": {"path": {"pattern": "^(?!/)", "minLength": 2}, "content": {}}}
    tool = built(schema)
    assert tool.is_valid({"path": "ab", "content": "x" * 1_000_000})
    assert tool.is_valid({"path": "a" * 4096})
    assert [problem.pointer for problem in tool.errors({"path": "/ab"})] == ["/path"]
    assert [problem.pointer for problem in tool.errors({"path": "a"})] == ["/path"]
    assert "4096" in tool.errors({"path": "a" * 4097})[0].message
    assert tool.is_valid({"path": 5})  # as without the bound: a pattern says nothing of a number


def test_a_pattern_that_looks_around_keeps_what_stands_beside_it() -> None:
    both = built({"pattern": "^(?!a)", "allOf": [{"maxLength": 2}], "$defs": {"a": {"$ref": "#/allOf/0"}}})
    assert both.is_valid("bb")
    assert not both.is_valid("ab")
    assert not both.is_valid("bbb")


def test_a_costly_pattern_where_its_text_cannot_be_bounded_is_refused() -> None:
    assert "/patternProperties/^(?!x)" in refusal({"patternProperties": {"^(?!x)": {}}})
    assert "draft 7 or later" in refusal({"$schema": "http://json-schema.org/draft-04/schema#", "pattern": "^(?!x)"})


def test_a_pattern_with_an_enormous_program_is_refused() -> None:
    assert "no pattern" in refusal({"pattern": "(((a{1,100}){1,100}){1,100}){1,100}"})
    assert "no pattern" in refusal({"pattern": "(?=\\p{L}{1,1000}){1,1000}"})


def spread(patterns: list[str]) -> dict[str, Any]:
    return {"properties": {f"p{number}": {"pattern": pattern} for number, pattern in enumerate(patterns)}}


@pytest.mark.parametrize(
    "patterns",
    [
        [f"^(a|b)*{number}$" for number in range(MOST_PATTERNS)],
        [rf"\w{{500}}{number}" for number in range(MOST_PATTERNS)],
        [rf"(?!x)\w+{number}" for number in range(MOST_PATTERNS)],
        [r"(?!x)\w+"] * MOST_PATTERNS,
        ["a?" * (MOST_PATTERN_CHARACTERS // 2)] * (MOST_CHARACTERS_OF_ALL // MOST_PATTERN_CHARACTERS),
        ["(?=x)" + "(a|b)*" * 160] * 15,
    ],
    ids=["branches", "counted", "looking", "the same", "long", "long and looking"],
)
def test_as_many_patterns_as_a_schema_may_have_compile_in_bounded_time(patterns: list[str]) -> None:
    check(spread(patterns), {"q": 1})
    assert "patterns; use at most" in refusal(spread([*patterns, *patterns[: 1 + len(patterns) // 10]]))


def test_names_and_patterns_are_counted_together_and_long_ones_are_refused() -> None:
    half = MOST_PATTERNS // 2 + 1
    names = {f"^x{number}": {"pattern": "y"} for number in range(half)}
    assert "use at most" in refusal({"patternProperties": names})
    assert "use at most 1000" in refusal({"pattern": "a?" * 100_000})
    check({"properties": {"pattern": {"pattern": "^a$"}, "patternProperties": {"type": "object"}}}, {"pattern": "a"})


def test_more_references_than_anybody_writes_are_refused() -> None:
    def chain(length: int) -> dict[str, Any]:
        return {"allOf": [{"$ref": "#/$defs/a"}] * length, "$defs": {"a": {"type": "object"}}}

    check(chain(1900), {})
    assert "references; use at most" in refusal(chain(2501))
