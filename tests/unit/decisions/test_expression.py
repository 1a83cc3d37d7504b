"""An expression is arithmetic and nothing else: what is on no list has no node."""

import pytest

from licet.decisions.error import DecisionError
from licet.decisions.expression import MAX_DEPTH, MAX_NODES, Name, Number, Operation, is_name, names, parse

CODE = (
    "__import__('os').system('id')",
    "().__class__.__bases__[0].__subclasses__()",
    "x.__class__",
    "x[0]",
    "[x for x in (1,)]",
    "lambda: 1",
    "f'{x}'",
    "'a' * 9",
    "b'a'",
    "1j",
    "True",
    "None",
    "...",
    "x if 1 else __builtins__.eval",
    "(y := 3)",
    "{x: 1}",
    "min(*x, 1)",
    "max(x, 1, key=abs)",
    "min(x)",
    "eval(x)",
    "open('/etc/passwd')",
    "x; y",
    "x\ny",
    "import os",
    "await x",
    "yield x",
    "not x",
    "~x",
    "x // 2",
    "x % 2",
    "x @ y",
    "x << 9999999999",
    "x and y",
    "1 < x < 2",
    "x in y",
    "x is 1",
    "abs",
    "x\0y",
    "\uff58",
    "\ud800",
    "",
    "   ",
    "1e999",
    "9" * 7_999,
    "1; DROP TABLE runs",
    "'\\d'",
    "x = 1",
    "(" * 999,
    "-" * 7_990 + "x",
    "+".join("x" * 1_100),
    "**".join("x" * 1_000),
    "(" * 90 + "x" + ")" * 90 + "." * 5,
    "x" * 8_001,
)


@pytest.mark.parametrize("text", CODE)
def test_what_is_no_arithmetic_is_refused_by_name(text: str) -> None:
    with pytest.raises(DecisionError) as caught:
        parse(text, where="the objective")
    assert caught.value.reason == "invalid_expression"
    assert str(caught.value).startswith("the objective ")
    assert len(str(caught.value)) < 300


def test_precedence_is_that_of_python() -> None:
    tree = parse(" -x ** 2 + 3 * y ", where="it")
    power = Operation("**", (Name("x"), Number(2.0)))
    assert tree == Operation("+", (Operation("negative", (power,)), Operation("*", (Number(3.0), Name("y")))))
    assert names(tree) == {"x", "y"}


def test_a_choice_and_functions_are_nodes() -> None:
    assert parse("min(x, 1) if x >= 2 else log(+x)", where="it") == Operation(
        "if",
        (
            Operation(">=", (Name("x"), Number(2.0))),
            Operation("min", (Name("x"), Number(1.0))),
            Operation("log", (Name("x"),)),
        ),
    )


def test_the_largest_expression_is_read() -> None:
    parse(" + ".join(f"x{number}" for number in range(1_000)), where="it")
    parse("-" * (MAX_DEPTH - 1) + "x", where="it")
    with pytest.raises(DecisionError, match="levels deep"):
        parse("-" * MAX_DEPTH + "x", where="it")
    with pytest.raises(DecisionError, match=f"more than {MAX_NODES} parts"):
        parse("+".join("x" * (MAX_NODES // 2 + 1)), where="it")


def test_a_chain_goes_from_left_to_right() -> None:
    told = parse("a - b + c * d / e", where="it")
    product = Operation("/", (Operation("*", (Name("c"), Name("d"))), Name("e")))
    assert told == Operation("+", (Operation("-", (Name("a"), Name("b"))), product))
    with pytest.raises(DecisionError, match="FloorDiv"):
        parse("a + b // c - d", where="it")


def test_words_of_the_language_name_nothing() -> None:
    assert is_name("x_1")
    for word in ("if", "lambda", "min", "1x", "", "x y", "é", "None", "x" * 65):
        assert not is_name(word), word
