"""Every promise has a test, every test's promise exists, and what was put off only gets less."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent

DEFERRED_AT_THE_FOUNDATION = frozenset(
    """
    agent.available-tools-block agent.call-tool
    engine.blocked-names-one-gate engine.execute-server-side-gates engine.human-approval-not-a-tool
    engine.only-execute-executes engine.operator-bypass engine.receipt engine.recommend-without-simulation
    engine.seven-tools engine.synchronous
    env.mcp-oracle env.mcp-servers env.offline-default
    grove.from-files grove.omen-in-prompt grove.omen-on-ledger grove.same-ledger-over-mcp grove.same-omen-over-mcp
    grove.whisperer-has-no-grant
    intrinsics.return-commands intrinsics.schemas-pinned intrinsics.twelve
    mcp.idempotency-from-hints mcp.optional-extra mcp.stdio mcp.streamable-http
    oracle.deterministic
    own.attenuation own.configuration-trust own.error-is-not-emptiness own.one-bad-tool own.pin-whole-definition
    own.replay-dispatches-nothing
    pin.changed-tool-refused pin.hash-at-registration pin.relist-once-per-turn
    profile.absent-not-hidden profile.conformance-suite profile.contract-file profile.cumulative
    profile.default-observe profile.embedded-copies profile.flat-names profile.litellm profile.never-model-facing
    profile.parity-checkers
    resolver.public-names
    wire.bijection
    """.split()
)


def promises() -> dict[str, str | None]:
    """Each id with the work it is deferred to, or None."""
    listed = tomllib.loads((TESTS / "requirements.toml").read_text("utf-8"))["requirement"]
    assert len({entry["id"] for entry in listed}) == len(listed), "an id stands twice in requirements.toml"
    return {entry["id"]: entry.get("deferred") for entry in listed}


def is_mark(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="mark"), attr=found)):
            return found == name
        case ast.Attribute(value=ast.Attribute(attr="mark"), attr=found):
            return found == name
    return False


def proofs(source: str) -> Iterator[str]:
    """The ids that one module proves. Raises AssertionError: a mark that pytest would not read as a proof."""
    tree = ast.parse(source)
    counted = set()
    for test in ast.walk(tree):
        if not isinstance(test, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        marks = [mark for mark in test.decorator_list if is_mark(mark, "requirement")]
        assert not marks or test.name.startswith("test_"), f"{test.name} is no test"
        evasions = [mark for mark in test.decorator_list for name in ("skip", "skipif", "xfail") if is_mark(mark, name)]
        assert not (marks and evasions), f"{test.name} proves a promise and may be skipped"
        for mark in marks:
            assert isinstance(mark, ast.Call), f"{test.name}: name the promise"
            assert len(mark.args) > len(mark.keywords) == 0, f"{test.name}: name the promise"
            counted.add(mark)
            for argument in mark.args:
                assert isinstance(argument, ast.Constant), f"{test.name}: the promise's id is a plain text"
                yield argument.value
    strays = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Call) and is_mark(node, "requirement")]
    assert len(strays) == len(counted), f"a requirement mark that decorates no test, among lines {strays}"


def proven() -> dict[str, list[str]]:
    """Each id that a test names, with the files of its tests."""
    found: dict[str, list[str]] = {}
    for file in sorted(TESTS.rglob("test_*.py")):
        for promise in proofs(file.read_text("utf-8")):
            found.setdefault(promise, []).append(str(file.relative_to(TESTS)))
    return found


def test_every_promise_that_is_not_deferred_has_a_test() -> None:
    tested = proven()
    missing = sorted(promise for promise, later in promises().items() if later is None and promise not in tested)
    assert missing == []


def test_no_test_names_an_unknown_promise() -> None:
    known = promises()
    assert {promise: files for promise, files in proven().items() if promise not in known} == {}


def test_a_promise_with_a_test_is_no_longer_deferred() -> None:
    tested = proven()
    assert sorted(promise for promise, later in promises().items() if later is not None and promise in tested) == []


def test_the_deferred_list_only_shrinks() -> None:
    deferred = {promise for promise, later in promises().items() if later is not None}
    assert deferred - DEFERRED_AT_THE_FOUNDATION == set()


def test_the_collector_finds_a_proof_and_refuses_what_only_looks_like_one() -> None:
    """The control: each mark below would make the tests above pass without proving anything."""
    assert list(proofs('@pytest.mark.requirement("a.b")\ndef test_x(): ...')) == ["a.b"]
    assert list(proofs('@pytest.mark.requirement("a.b", "c.d")\nasync def test_x(): ...')) == ["a.b", "c.d"]
    for evasion in (
        '@pytest.mark.requirement("a.b")\ndef helper(): ...',
        "@pytest.mark.requirement(PROMISE)\ndef test_x(): ...",
        "@pytest.mark.requirement\ndef test_x(): ...",
        '@pytest.mark.skip\n@pytest.mark.requirement("a.b")\ndef test_x(): ...',
        '@pytest.mark.xfail(strict=True)\n@pytest.mark.requirement("a.b")\ndef test_x(): ...',
        'unused = pytest.mark.requirement("a.b")',
    ):
        try:
            list(proofs(evasion))
        except AssertionError:
            continue
        raise AssertionError(f"counted as a proof: {evasion}")
