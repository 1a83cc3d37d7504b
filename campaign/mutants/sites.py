"""Every place where one small change to a source file should make a test fail."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
WORD = re.compile(r"[a-z][a-z0-9]*(?:[_.][a-z0-9]+)+", re.ASCII)
"""Text that somebody matches: a code, a kind, a flag. Messages are for people and may change."""


class Mutant(NamedTuple):
    """``before`` at ``start`` of the file's bytes becomes ``after``. ``file`` is relative to the project.

    ``text`` is the line that it begins in, without the space around it.
    """

    file: str
    line: int
    where: str
    kind: str
    start: int
    before: str
    after: str
    text: str = ""

    @property
    def key(self) -> str:
        """What it is, wherever the lines around it have moved."""
        before, after = (" ".join(text.split()) for text in (self.before, self.after))
        return f"{self.file} {self.where} | {self.text} | {before} -> {after}"

    def applied(self, source: bytes) -> bytes:
        end = self.start + len(self.before.encode())
        return source[: self.start] + self.after.encode() + source[end:]


def mutants(root: Path, file: str) -> list[Mutant]:
    """In the order of the file, without those that say the same as the original."""
    source = (root / file).read_bytes()
    return list(_Sites(file, source).found())


class _Sites:
    def __init__(self, file: str, source: bytes) -> None:
        self._file = file
        self._source = source
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def found(self) -> Iterator[Mutant]:
        seen: set[tuple[int, str, str]] = set()
        for where, node, kind, after in self._changes(ast.parse(self._source), ""):
            start, end = self._span(node)
            before = self._source[start:end].decode()
            if (start, before, after) in seen:
                continue
            seen.add((start, before, after))
            text = self._source[self._starts[node.lineno - 1] : self._starts[node.lineno]].decode().strip()
            mutant = Mutant(self._file, node.lineno, where or "module", kind, start, before, after, text)
            around = "({})" if isinstance(node, ast.expr) else "{}"  # an expression may go on in the next line
            if ast.dump(ast.parse(around.format(before))) != ast.dump(ast.parse(around.format(after))):
                yield mutant

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        start = self._starts[node.lineno - 1] + node.col_offset
        assert node.end_lineno is not None  # the parser sets it
        return start, self._starts[node.end_lineno - 1] + (node.end_col_offset or 0)

    def _changes(self, node: ast.AST, where: str) -> Iterator[tuple[str, ast.expr | ast.stmt, str, str]]:
        """Where, what, which kind of change, and the new text. Nothing that only a type checker reads."""
        for child in _running(node):
            inner = where
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                inner = f"{where}.{child.name}" if where else child.name
            elif isinstance(child, ast.expr | ast.stmt):
                for kind, after in _of(child, inside=bool(where)):
                    yield where, child, kind, after
            if isinstance(child, ast.If | ast.While | ast.IfExp) and not _changes_itself(child.test):
                yield where, child.test, "condition", f"(not {ast.unparse(child.test)})"
            yield from self._changes(child, inner)


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """The children that run: no annotations, decorators, imports, docstrings, protocols or messages of errors."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "bases", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.Import | ast.ImportFrom | ast.Assert):
                continue
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                continue  # a docstring
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            if isinstance(child, ast.ClassDef) and any("Protocol" in ast.unparse(base) for base in child.bases):
                continue
            if isinstance(child, ast.JoinedStr):
                continue  # a message
            if isinstance(child, ast.Assign) and ast.unparse(child.targets[0]) == "__all__":
                continue
            yield child


def _of(node: ast.expr | ast.stmt, *, inside: bool) -> Iterator[tuple[str, str]]:
    match node:
        case ast.Compare() if len(node.ops) == 1:
            swapped = ast.Compare(node.left, [SWAPPED[type(node.ops[0])]()], node.comparators)  # type: ignore[list-item]
            yield "comparison", _bracketed(swapped)
        case ast.BoolOp():
            yield "and or", _bracketed(ast.BoolOp(SWAPPED[type(node.op)](), node.values))  # type: ignore[arg-type]
        case ast.UnaryOp(op=ast.Not()):
            yield "not removed", _bracketed(node.operand)
        case ast.BinOp() if type(node.op) in SWAPPED:
            yield "operator", _bracketed(ast.BinOp(node.left, SWAPPED[type(node.op)](), node.right))  # type: ignore[arg-type]
        case ast.Constant(value=bool(value)):
            yield "constant", str(not value)
        case ast.Constant(value=int(value)):
            yield "off by one", str(value + 1)
        case ast.Constant(value=str(value)) if WORD.fullmatch(value):
            yield "constant", repr(f"{value}x")
        case ast.Call(args=[first, second, *rest]) if _are_alike(first, second):
            yield "arguments swapped", ast.unparse(ast.Call(node.func, [second, first, *rest], node.keywords))
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and not value.value):
            yield "return nothing", "return None"
        case ast.Raise() | ast.AugAssign() | ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) if inside:
            yield "statement removed", "pass"
        case ast.Expr(value=ast.Call() | ast.Await()) if inside:
            yield "statement removed", "pass"
        case ast.Continue():
            yield "break for continue", "break"
        case ast.Break():
            yield "continue for break", "continue"


def _changes_itself(test: ast.expr) -> bool:
    """Whether a condition has a change of its own, so that its negation would be the same again."""
    return isinstance(test, ast.BoolOp | ast.UnaryOp) or (isinstance(test, ast.Compare) and len(test.ops) == 1)


def _are_alike(first: ast.expr, second: ast.expr) -> bool:
    """Whether somebody could have written two arguments the wrong way round."""
    plain = ast.Name | ast.Attribute | ast.Subscript
    return isinstance(first, plain) and isinstance(second, plain)


def _bracketed(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"
