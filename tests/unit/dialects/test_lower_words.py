"""What a wire cannot hold is said in words that a model reads."""

from typing import Any

import pytest
from lower_samples import low, rooted

from licet.dialects.lower.forms import GEMINI, OLLAMA
from licet.dialects.lower.words import MAX_WORDS, joined, said


@pytest.mark.parametrize(
    ("keyword", "value", "words"),
    [
        ("minimum", 1, "at least 1"),
        ("exclusiveMaximum", 2.5, "less than 2.5"),
        ("pattern", '^"a"$', 'matches the pattern ^"a"$'),
        ("enum", ["a", 1, None], 'one of "a", 1, null'),
        ("default", {"a": [1]}, 'by default {"a":[1]}'),
        ("uniqueItems", True, "no item twice"),
        ("uniqueItems", False, None),
        ("additionalProperties", False, None),
        ("additionalProperties", {"type": "string"}, 'other properties fit {"type":"string"}'),
        ("items", False, "no further items"),
        ("type", ["string", "null"], "string or null"),
        ("title", "Name", None),
        ("$comment", "for nobody", None),
        ("x-anything", {"a": 1}, None),
    ],
)
def test_a_keyword_is_said_in_words(keyword: str, value: Any, words: str | None) -> None:
    assert said(keyword, value) == words


def test_words_stand_at_the_end_of_a_description() -> None:
    assert joined("The limit.", ["at least 1", "at most 9"]) == "The limit.\nAt least 1; at most 9."
    assert joined("", ["deprecated"]) == "Deprecated."
    assert joined("The limit.", []) == "The limit."


def test_words_that_were_cut_are_told() -> None:
    found = low(rooted({"type": "string", "not": {"const": "x" * 2 * MAX_WORDS}}), OLLAMA)
    assert ("/properties/p", "not", "in the description, cut") in [loss[1:] for loss in found.losses]
    assert len(found.schema["properties"]["p"]["description"]) <= MAX_WORDS + 1


def test_equal_schemas_are_lowered_alike_whatever_their_order() -> None:
    one = rooted({"type": "integer", "minimum": 1, "maximum": 9, "multipleOf": 2})
    other = {name: one[name] for name in reversed(one)}
    assert low(one, GEMINI) == low(other, GEMINI)
