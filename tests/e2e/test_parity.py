"""Both checkers on the tree, and on broken trees: the same lines, the same exit code."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CONTRACT = "contracts/integration-tool-contract.json"
TEXT = (ROOT / CONTRACT).read_text("utf-8")
PYTHON_COPY = (ROOT / "src/licet/adapters/langchain/contract.py").read_text("utf-8")
TYPESCRIPT_COPY = (ROOT / "packages/licet-contract/src/contract.ts").read_text("utf-8")
PACKAGE = str(ROOT / "scripts" / "contract-package")
HERE = {"py": "a/contract.py", "ts": "b/src/contract.ts"}

Change = Callable[[dict[str, Any]], None]


def run(*command: str) -> tuple[int, str, str]:
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def twin() -> tuple[str, ...]:
    """The command of the TypeScript twin. One that cannot be built fails the tests; none is skipped."""
    code, node, told = run(PACKAGE, "build")
    assert code == 0, told
    return (node.strip(), str(ROOT / "packages/licet-contract/dist/src/check-parity.js"))


def python_says(root: Path) -> tuple[int, str, str]:
    return run(sys.executable, str(ROOT / "scripts" / "check-parity.py"), "--root", str(root))


def agreed(root: Path, twin: tuple[str, ...]) -> tuple[int, list[str]]:
    """What both checkers say of a tree."""
    code, lines, _ = one = python_says(root)
    assert run(*twin, "--root", str(root)) == one
    return code, lines.splitlines()


def tree(folder: Path, *, contract: str = TEXT, py: str | None = PYTHON_COPY, ts: str | None = TYPESCRIPT_COPY) -> Path:
    for path, text in ((CONTRACT, contract), (HERE["py"], py), (HERE["ts"], ts)):
        if text is not None:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, "utf-8", newline="")
    return folder


def changed(change: Change) -> str:
    value = json.loads(TEXT)
    change(value)
    return json.dumps(value, indent=2)


def put(*path: str, to: Any) -> Change:
    def change(value: dict[str, Any]) -> None:
        for key in path[:-1]:
            value = value[key]
        value[path[-1]] = to

    return change


def drop(*path: str) -> Change:
    def change(value: dict[str, Any]) -> None:
        for key in path[:-1]:
            value = value[key]
        del value[path[-1]]

    return change


def a_profile_more(value: dict[str, Any]) -> None:
    value["profiles"]["admin"] = {"tools": "*"}


DRIFTS: list[tuple[str, Change, str]] = [
    ("bad profile", a_profile_more, "bad_profile profiles/admin"),
    ("bad profile", drop("profiles", "govern"), "bad_profile profiles/govern"),
    ("bad profile", put("profiles", "execute", "extends", to="observe"), "bad_profile profiles/execute/extends"),
    ("bad profile", put("profiles", "observe", "tools", to="*"), "bad_profile profiles/observe/tools"),
    ("gates", put("profiles", "execute", "requires_all_of", to=["x"]), "bad_profile profiles/execute/requires_all_of"),
    (
        "missing tool",
        put("profiles", "observe", "tools", to=["get_contract", "query_data", "simulate"]),
        "missing_tool profiles/observe/tools/recommend",
    ),
    ("missing tool", drop("mcp_tool_reference", "simulate"), "missing_tool mcp_tool_reference/simulate"),
    (
        "invented tool",
        put("profiles", "govern", "adds_tools", to=["plan_decision", "log_decision", "execute_decision"]),
        "invented_tool profiles/govern/adds_tools/execute_decision",
    ),
    ("invented tool", put("mcp_tool_reference", "x", to={}), "invented_tool mcp_tool_reference/x"),
    ("wrong default", drop("profiles", "observe", "default"), "wrong_default profiles/observe/default"),
    ("wrong default", put("profiles", "full", "default", to=True), "wrong_default profiles/full/default"),
    ("wrong default", put("profiles", "full", "opt_in_only", to=False), "wrong_default profiles/full/opt_in_only"),
    ("full not *", put("profiles", "full", "tools", to=["get_contract"]), "full_not_star profiles/full/tools"),
    (
        "never-field drift",
        put("profiles", "execute", "never_model_facing_fields", to=["override_safety"]),
        "never_field_drift profiles/execute/never_model_facing_fields",
    ),
    (
        "never-field drift",
        drop("profiles", "execute", "never_model_facing_fields"),
        "never_field_drift profiles/execute/never_model_facing_fields",
    ),
    ("prefix", put("external_tool_name_convention", "prefix", to="x_"), "drift external_tool_name_convention/prefix"),
    ("version", put("contract_version", to="0.2.0"), "drift contract_version"),
    ("type", put("mcp_tool_reference", "simulate", "read_only", to=1), "drift mcp_tool_reference/simulate/read_only"),
    (
        "order",
        put("profiles", "govern", "adds_tools", to=["log_decision", "plan_decision"]),
        "drift profiles/govern/adds_tools",
    ),
    ("a key that acts on a terminal", put("\x1b[31mé\U0001f600", to=1), "drift \\u001b[31m\\u00e9\\ud83d\\ude00"),
]


@pytest.mark.requirement("profile.embedded-copies")
@pytest.mark.requirement("profile.parity-checkers")
def test_every_copy_in_the_tree_is_the_contract(twin: tuple[str, ...]) -> None:
    code, lines = agreed(ROOT, twin)
    adapters = ("langchain", "litellm", "openai_agents", "pydantic_ai")
    copies = ["packages/licet-contract/src/contract.ts", *(f"src/licet/adapters/{one}/contract.py" for one in adapters)]
    assert (code, lines) == (0, [f"{path}: ok" for path in (CONTRACT, *copies)])


@pytest.mark.requirement("profile.embedded-copies")
def test_the_copies_are_what_the_script_writes() -> None:
    assert run(sys.executable, str(ROOT / "scripts" / "embed-contract"), "--check") == (0, "", "")
    assert (ROOT / CONTRACT).read_bytes() == (ROOT / "src/licet/profiles" / Path(CONTRACT).name).read_bytes()


@pytest.mark.requirement("profile.parity-checkers")
@pytest.mark.parametrize("kind", ["py", "ts"])
@pytest.mark.parametrize(
    ("change", "finding"), [pytest.param(*case, id=f"{name}: {case[1]}") for name, *case in DRIFTS]
)
def test_both_checkers_find_a_drift(
    change: Change, finding: str, kind: str, tmp_path: Path, twin: tuple[str, ...]
) -> None:
    drifted = changed(change)
    copy = {"py": PYTHON_COPY, "ts": TYPESCRIPT_COPY}[kind].replace(TEXT.strip(), drifted)
    code, lines = agreed(tree(tmp_path, **{kind: copy}), twin)
    other = HERE["ts" if kind == "py" else "py"]
    assert (code, sorted(lines)) == (1, sorted([f"{CONTRACT}: ok", f"{HERE[kind]}: {finding}", f"{other}: ok"]))


COMPUTED: dict[str, tuple[str, Callable[[str], str]]] = {
    "a second assignment": ("py", lambda text: text + 'CONTRACT["profiles"]["full"]["default"] = True\n'),
    "something before": ("py", lambda text: text.replace("import json\n", "import json\njson.loads = eval\n")),
    "another json": ("py", lambda text: text.replace("import json\n", "from evil import json\n")),
    "no json at all": ("py", lambda text: text.replace("import json\n", "")),
    "a call around it": ("py", lambda text: text.replace("json.loads(r'''", "dict(json.loads(r'''")),
    "two literals": ("py", lambda text: text.replace("\n''')", "\n''' r'''''')")),
    "a plain string": ("py", lambda text: text.replace("r'''", "'''")),
    "a dict display": ("py", lambda text: text.replace("json.loads(r'''", "(").replace("''')", ")")),
    "no marks": ("py", lambda text: text.replace("# BEGIN CONTRACT\n", "")),
    "marks twice": ("py", lambda text: text + "# BEGIN CONTRACT\n# END CONTRACT\n"),
    "marks the wrong way round": (
        "py",
        lambda text: text.replace("BEGIN", "X").replace("END", "BEGIN").replace("X", "END"),
    ),
    "a line break that only Python knows": ("py", lambda text: text.replace("# scripts", "# x\rimport os\n# scripts")),
    "another encoding": ("py", lambda text: "# -*- coding: utf-7 -*-\n" + text),
    "a byte order mark": ("py", lambda text: "\ufeff" + text),
    "a spread": ("ts", lambda text: text.replace("CONTRACT = {", "CONTRACT = { ...other,")),
    "a call": ("ts", lambda text: text.replace("= {", "= JSON.parse(`{").replace("} as const", "}`)")),
    "a statement after": ("ts", lambda text: text + "Object.assign(CONTRACT, {});\n"),
    "a statement before": ("ts", lambda text: "import './evil.js';\n" + text),
    "a line break that only JavaScript knows": ("ts", lambda text: text.replace("// scripts", "// x\u2028evil();//")),
    "a comment that ends early": ("ts", lambda text: text.replace("/** ", "/** */ evil(); /* ")),
    "let": ("ts", lambda text: text.replace("export const", "export let")),
}
NOT_JSON: dict[str, tuple[str, Callable[[str], str]]] = {
    "a comment inside": ("ts", lambda text: text.replace('"default": true', '"default": true /* yes */')),
    "bare keys": ("ts", lambda text: text.replace('"profiles"', "profiles")),
    "a trailing comma": ("py", lambda text: text.replace('"opt_in_only": true', '"opt_in_only": true,')),
    "a template": ("ts", lambda text: text.replace('"0.1.0"', "`0.1.0`")),
    "an expression": ("ts", lambda text: text.replace('"default": true', '"default": !0')),
    "NaN": ("py", lambda text: text.replace('"0.1.0"', "NaN")),
    "too deep": ("py", lambda text: text.replace('"0.1.0"', "[" * 64 + "]" * 64)),
    "very deep": ("ts", lambda text: text.replace('"0.1.0"', "[" * 50_000 + "]" * 50_000)),
    "a control character": ("ts", lambda text: text.replace("0.1.0", "0.1\t0")),
}
TWICE: dict[str, tuple[str, Callable[[str], str]]] = {
    "a profile twice": ("py", lambda text: text.replace('"govern": {', '"full": {"tools": "*"}, "govern": {')),
    "a key twice, escaped": ("ts", lambda text: text.replace('"default": true', '"default": true, "d\\u0065fault": 1')),
    "a prototype": ("ts", lambda text: text.replace('"default": true', '"default": true, "__proto__": {}')),
}
BROKEN = [
    pytest.param(kind, breaks, code, id=name)
    for cases, code in ((COMPUTED, "computed"), (NOT_JSON, "computed"), (TWICE, "duplicate_key"))
    for name, (kind, breaks) in cases.items()
]


@pytest.mark.requirement("profile.parity-checkers")
@pytest.mark.parametrize(("kind", "breaks", "code"), BROKEN)
def test_a_module_that_is_no_plain_literal_fails_in_both(
    kind: str, breaks: Callable[[str], str], code: str, tmp_path: Path, twin: tuple[str, ...]
) -> None:
    copies = {"py": PYTHON_COPY, "ts": TYPESCRIPT_COPY}
    copies[kind] = broken = breaks(copies[kind])
    assert broken not in (PYTHON_COPY, TYPESCRIPT_COPY)
    exit_code, lines = agreed(tree(tmp_path, **copies), twin)
    assert (exit_code, f"{HERE[kind]}: {code}" in lines) == (1, True), lines


WRONG: list[tuple[str, str, str]] = [
    (
        "an unknown tool",
        changed(put("profiles", "govern", "adds_tools", to=["plan_decision", "sell_everything"])),
        "unknown_tool profiles/govern/adds_tools/sell_everything",
    ),
    ("full as default", changed(put("profiles", "full", "default", to=True)), "wrong_default profiles/full/default"),
    ("no default", changed(drop("profiles", "observe", "default")), "wrong_default profiles/observe/default"),
    ("full that is a list", changed(put("profiles", "full", "tools", to=[])), "full_not_star profiles/full/tools"),
    (
        "no never-field",
        changed(put("profiles", "execute", "never_model_facing_fields", to=[])),
        "never_field_drift profiles/execute/never_model_facing_fields",
    ),
    ("an unknown key", changed(put("extra", to=1)), "bad_contract extra"),
    ("a missing key", changed(drop("conformance")), "bad_contract conformance"),
    ("a wrong pattern", changed(put("external_tool_name_convention", "pattern", to=".*")), "bad_contract external"),
    ("a list", "[]", "bad_contract"),
    ("a key twice", TEXT.replace('"profiles": {', '"profiles": {}, "profiles": {'), "duplicate_key"),
    ("no JSON", TEXT[:-5], "not_json"),
]


@pytest.mark.requirement("profile.parity-checkers")
@pytest.mark.parametrize(("contract", "finding"), [pytest.param(*case, id=name) for name, *case in WRONG])
def test_a_contract_that_is_wrong_fails_in_both_whatever_its_copies_say(
    contract: str, finding: str, tmp_path: Path, twin: tuple[str, ...]
) -> None:
    copies = {
        "py": PYTHON_COPY.replace(TEXT.strip(), contract.strip()),
        "ts": TYPESCRIPT_COPY.replace(TEXT.strip(), contract.strip()),
    }
    code, lines = agreed(tree(tmp_path, contract=contract, **copies), twin)
    assert code == 1
    assert lines[0].startswith(f"{CONTRACT}: {finding}")


@pytest.mark.requirement("profile.parity-checkers")
def test_no_contract_no_module_and_bad_usage_are_two(tmp_path: Path, twin: tuple[str, ...]) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    alone = tree(tmp_path / "alone", py=None, ts=None)
    hidden = tree(tmp_path / "hidden", py=None, ts=None)
    for folder in (".git", "node_modules", "dist"):
        (hidden / folder).mkdir()
        (hidden / folder / "contract.py").write_text(PYTHON_COPY)
    for root, told in ((empty, "there is no contracts/"), (alone, "no module found"), (hidden, "no module found")):
        code, out, err = python_says(root)
        assert (code, out) == (2, "")
        assert told in err
        assert run(*twin, "--root", str(root)) == (code, out, err)
    checker = str(ROOT / "scripts" / "check-parity.py")
    for wrong in (["--root"], ["--root", str(tmp_path / "nothing")], ["--rot", str(ROOT)], ["x"]):
        assert run(sys.executable, checker, *wrong)[0] == 2
        assert run(*twin, *wrong)[0] == 2


@pytest.mark.requirement("profile.embedded-copies")
def test_an_adapter_and_a_package_without_a_copy_are_named(tmp_path: Path, twin: tuple[str, ...]) -> None:
    root = tree(tmp_path)
    for path in ("src/licet/adapters/new/__init__.py", "packages/new/package.json"):
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text("")
    code, lines = agreed(root, twin)
    assert code == 1
    assert "src/licet/adapters/new/contract.py: missing_module" in lines
    assert "packages/new/src/contract.ts: missing_module" in lines


@pytest.mark.requirement("profile.parity-checkers")
def test_a_module_that_is_no_plain_file_of_text_is_unreadable(tmp_path: Path, twin: tuple[str, ...]) -> None:
    root = tree(tmp_path, py=None)
    (root / "a").mkdir()
    os.symlink("../b/src/contract.ts", root / "a" / "contract.ts")
    (root / "c").mkdir()
    (root / "c" / "contract.py").write_bytes(b"\xff\xfe")
    (root / "d").mkdir()
    (root / "d" / "contract.py").write_bytes(PYTHON_COPY.encode() + b"#" * (1 << 20))
    code, lines = agreed(root, twin)
    unreadable = ["a/contract.ts: unreadable", "c/contract.py: unreadable", "d/contract.py: unreadable"]
    assert (code, [line for line in lines if line.endswith("unreadable")]) == (1, unreadable)


@pytest.mark.requirement("profile.parity-checkers")
def test_windows_line_ends_are_no_drift(tmp_path: Path, twin: tuple[str, ...]) -> None:
    copies = {"py": PYTHON_COPY.replace("\n", "\r\n"), "ts": TYPESCRIPT_COPY.replace("\n", "\r\n")}
    assert agreed(tree(tmp_path, **copies), twin)[0] == 0


def test_the_embedded_module_is_the_contract_when_it_is_imported() -> None:
    from licet.adapters.langchain.contract import CONTRACT as EMBEDDED

    assert json.loads(TEXT) == EMBEDDED


@pytest.mark.requirement("profile.parity-checkers")
def test_the_tests_of_the_package_pass_and_it_checks_this_tree() -> None:
    assert run(PACKAGE, "check-parity")[0] == 0
    code, told, _ = run(PACKAGE, "test")
    assert code == 0, told
    assert "\n# fail 0\n" in told
    assert "\n# skipped 0\n" in told
