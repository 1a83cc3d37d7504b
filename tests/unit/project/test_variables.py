"""``${NAME}`` expands where an entry writes it, and a value is in no message."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from licet.project.variables import MissingVariable, expand, literal, problem, references

HELD = {"A": "one", "EMPTY": "", "_b2": "two"}


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("plain $A $(A) {A} $", "plain $A $(A) {A} $"),
        ("${A}", "one"),
        ("x${A}y${_b2}z", "xoneytwoz"),
        ("${env:A}", "one"),
        ("${A:-other}", "one"),
        ("${NO:-other}", "other"),
        ("${NO:-}", ""),
        ("${EMPTY}", ""),
        ("${EMPTY:-other}", "other"),
        ("${NO:-a b:-c/${A}", "a b:-c/${A"),
        ("$${A}", "${A}"),
        ("$${A} ${A}", "${A} one"),
        ("${workspaceFolder}/x", "/folder/x"),
        ("Bearer ${A}", "Bearer one"),
    ],
)
def test_a_text_expands(text: str, expanded: str) -> None:
    assert expand(text, HELD, "/folder") == expanded


def test_a_value_is_not_expanded_again() -> None:
    assert expand("${X}", {"X": "${A} $${A}", "A": "never"}, "") == "${A} $${A}"


def test_a_missing_variable_is_named() -> None:
    with pytest.raises(MissingVariable) as caught:
        expand("${A}${NO_SUCH}", HELD, "")
    assert caught.value.name == "NO_SUCH"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("${A", "without its }"),
        ("${", "without its }"),
        ("${}", "no variable's name"),
        ("${a b}", "no variable's name"),
        ("${1A}", "no variable's name"),
        ("${A-b}", "no variable's name"),
        ("${A:?b}", "no variable's name"),
        ("${\u0410}", "no variable's name"),
        ("${input:key}", "no client asks"),
        ("${file:/etc/passwd}", "no variable's name"),
        ("${A} ${userHome.x}", "no variable's name"),
    ],
)
def test_what_names_no_variable_is_told(text: str, what: str) -> None:
    assert what in problem(text)


@pytest.mark.parametrize("text", ["", "x", "$A", "${A}", "${A:-b}", "${env:A}", "${workspaceFolder}", "$${A", "$$ {"])
def test_what_is_right_has_no_problem(text: str) -> None:
    assert problem(text) == ""


def test_where_only_the_folder_expands_an_environment_variable_is_a_problem() -> None:
    assert "do not expand here" in problem("${A}", only_folder=True)
    assert "do not expand here" in problem("${A:-b}", only_folder=True)
    assert problem("${workspaceFolder}/a", only_folder=True) == ""


def test_references_name_variables_and_their_defaults() -> None:
    assert references("${A} ${B:-c} $${D} ${workspaceFolder} ${env:E} ${bad name} ${") == (
        ("A", None),
        ("B", "c"),
        ("E", None),
    )


@given(st.text(alphabet="${}A:-envworkspaceFolder ", max_size=30))
def test_a_literal_text_expands_to_itself(text: str) -> None:
    assert expand(literal(text), {}, "/folder") == text
    assert references(literal(text)) == ()


@given(st.text(alphabet="${}AB:-en v", max_size=30))
def test_no_text_breaks_expansion(text: str) -> None:
    with suppress(MissingVariable):
        assert isinstance(expand(text, HELD, ""), str)
