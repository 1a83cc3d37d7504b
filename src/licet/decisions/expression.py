"""Arithmetic that somebody else wrote: parsed by Python's own grammar, rebuilt from a short list, never run as code.

Allowed are numbers, names, ``+ - * / **``, comparisons of two values (1 or 0), ``a if c else b``, and the functions of
``FUNCTIONS``. What is not on the list has no node here, so nothing that reads a tree can meet it.
"""

import ast
import keyword
import re
import warnings
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from .error import DecisionError

T = TypeVar("T")

MAX_CHARACTERS = 8_000
MAX_NODES = 2_048
MAX_DEPTH = 48
"""Levels of one expression inside another; a chain such as a + b + c is one level, however long."""

FUNCTIONS = {
    "min": (2, 16),
    "max": (2, 16),
    "abs": (1, 1),
    "sqrt": (1, 1),
    "exp": (1, 1),
    "log": (1, 1),
    "floor": (1, 1),
    "ceil": (1, 1),
}
"""The functions, and how many values each takes, from and to. ``log`` is the natural one."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}", re.ASCII)
_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
}
_COMPARISON: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


class Number(NamedTuple):
    value: float


class Name(NamedTuple):
    name: str


class Operation(NamedTuple):
    """``operator`` is ``+ - * / ** < <= > >= == !=``, ``negative``, ``if`` (condition, then, else) or a function."""

    operator: str
    operands: tuple["Node", ...]


Node = Number | Name | Operation


def is_name(text: str) -> bool:
    """Whether a text can name something in an expression: ASCII, at most 64 characters, no keyword and no function."""
    return _NAME.fullmatch(text) is not None and not keyword.iskeyword(text) and text not in FUNCTIONS


def parse(text: str, *, where: str) -> Node:
    """The tree of an expression. ``where`` says in messages which one it is.

    Raises:
        DecisionError: ``invalid_expression``: it is too long, is no expression, or holds something that is not allowed.
    """
    if len(text) > MAX_CHARACTERS:
        raise _refused(where, f"has {len(text)} characters; use at most {MAX_CHARACTERS}")
    if not text.isascii() or "\0" in text:
        raise _refused(where, "holds a character beyond ASCII; use plain letters, digits and operators")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of odd code; here it is refused or harmless
            body = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise _refused(where, "is no arithmetic expression; write one such as price * units - cost") from None
    return _Reading(where).node(body, 1)


def fold(node: Node, apply: Callable[[Node, list[T]], T]) -> T:
    """What ``apply`` makes of a node and of what it made of the operands, from the leaves up, left before right.

    Without recursion: chains are as deep as they are long.
    """
    made: list[T] = []
    todo: list[tuple[Node, bool]] = [(node, False)]
    while todo:
        one, ready = todo.pop()
        operands = one.operands if isinstance(one, Operation) else ()
        if operands and not ready:
            todo.append((one, True))
            todo.extend((operand, False) for operand in reversed(operands))
            continue
        first = len(made) - len(operands)
        made[first:] = [apply(one, made[first:])]
    return made[0]


def names(node: Node) -> frozenset[str]:
    """The names that an expression uses."""
    found: set[str] = set()
    todo = [node]
    while todo:
        match todo.pop():
            case Name(name):
                found.add(name)
            case Operation(_, operands):
                todo += operands
    return frozenset(found)


def refuse_unknown(node: Node, known: Callable[[str], bool], *, where: str) -> None:
    """Raises DecisionError: ``unknown_name``: the expression uses a name that is none."""
    unknown = sorted(name for name in names(node) if not known(name))
    if unknown:
        said = ", ".join(unknown[:5])
        raise DecisionError("unknown_name", f"{where} uses names that are none here: {said}; use the names that are")


class _Reading:
    def __init__(self, where: str) -> None:
        self.where = where
        self.count = 0

    def node(self, node: ast.expr, depth: int) -> Node:
        """A node; of a chain first its leftmost part, and then one operation after the other."""
        chain: list[ast.BinOp] = []
        while isinstance(node, ast.BinOp) and isinstance(node.left, ast.BinOp):
            chain.append(node)
            node = node.left
        made = self.one(node, depth)
        for link in reversed(chain):
            self.count += 1
            made = Operation(self.sign(link), (made, self.node(link.right, depth + 1)))
        return made

    def sign(self, node: ast.BinOp) -> str:
        if type(node.op) not in _BINARY:
            raise _refused(
                self.where, f"holds the operator {type(node.op).__name__}, which is not allowed; use {_ALLOWED}"
            )
        return _BINARY[type(node.op)]

    def one(self, node: ast.expr, depth: int) -> Node:
        self.count += 1
        if self.count > MAX_NODES:
            raise _refused(self.where, f"has more than {MAX_NODES} parts; split it or shorten it")
        if depth > MAX_DEPTH:
            raise _refused(self.where, f"is more than {MAX_DEPTH} levels deep; flatten it")
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return Number(self.number(value))
            case ast.Name(id=name) if is_name(name):
                return Name(name)
            case ast.BinOp(left=left, right=right):
                return self.operation(self.sign(node), depth, left, right)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.operation("negative", depth, operand)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.node(operand, depth + 1)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISON:
                return self.operation(_COMPARISON[type(op)], depth, left, right)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.operation("if", depth, test, body, orelse)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
                least, most = FUNCTIONS[name]
                if not least <= len(args) <= most:
                    raise _refused(self.where, f"gives {name} {len(args)} values; it takes {_between(least, most)}")
                return self.operation(name, depth, *args)
        raise _refused(self.where, f"holds {_kind(node)}, which is not allowed; use {_ALLOWED}")

    def operation(self, operator: str, depth: int, *operands: ast.expr) -> Operation:
        return Operation(operator, tuple(self.node(one, depth + 1) for one in operands))

    def number(self, value: int | float) -> float:
        try:
            number = float(value)
        except OverflowError:
            number = float("inf")
        if number - number != 0.0:
            raise _refused(self.where, "holds a number that is too large; use one below 1e308")
        return number


_ALLOWED = "numbers, names, + - * / **, one comparison at a time, a if c else b, " + ", ".join(FUNCTIONS)


def _kind(node: ast.expr) -> str:
    match node:
        case ast.Call():
            return "a call of something that is no function here"
        case ast.Constant():
            return f"a constant of the kind {type(node.value).__name__}"
        case ast.Name(id=name):
            return f"the function {name} without its values" if name in FUNCTIONS else "a name that is none"
    return f"a part of the kind {type(node).__name__}"


def _between(least: int, most: int) -> str:
    return str(least) if least == most else f"{least} to {most}"


def _refused(where: str, problem: str) -> DecisionError:
    return DecisionError("invalid_expression", f"{where} {problem}")
