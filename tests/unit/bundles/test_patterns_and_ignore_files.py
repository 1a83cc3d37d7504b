"""Globs and ignore rules, as expressions of the one engine."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from licet.bundles.files import ignore
from licet.bundles.files.ignore import Layer, ignored
from licet.bundles.files.patience import Patience
from licet.bundles.files.pattern import compiled, expression, glob, translated
from licet.errors import ToolFailedError


def layer(text: bytes, start: int) -> Layer | None:
    return ignore.layer(text, start, Patience())


@pytest.mark.parametrize(
    ("pattern", "fits", "fits_not"),
    [
        ("*", ["a", ".a", "x/y"], []),
        ("*.py", ["a.py", "x/a.py", ".py"], ["a.pyc", "a.py/x"]),
        ("a?c", ["abc", "x/a\u20acc"], ["ac", "a/c", "abbc"]),
        ("/a", ["a"], ["x/a"]),
        ("a/b", ["a/b"], ["x/a/b", "a/b/c", "a/x/b"]),
        ("a/*", ["a/b"], ["a/b/c"]),
        ("a/**", ["a/b", "a/b/c"], ["a", "b/a"]),
        ("**/a", ["a", "x/a", "x/y/a"], ["xa", "x/ya"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb"]),
        ("**", ["a", "a/b"], []),
        ("a**b", ["ab", "axb"], ["a/b"]),
        ("[abc]x", ["ax", "y/bx"], ["dx", "x"]),
        ("[!abc]x", ["dx"], ["ax", "x", "a/x"]),
        ("[^abc]x", ["dx"], ["ax"]),
        ("[a-c]x", ["bx"], ["dx", "-x"]),
        ("[]x]", ["]", "x"], ["[", "a"]),
        ("[a-]", ["a", "-"], ["b"]),
        ("[.-0]x", [".x", "0x"], ["/x", "1x"]),
        ("[z-a]", [], ["a", "z"]),
        ("[", ["["], ["a"]),
        ("a[", ["a["], ["a"]),
        (r"\*", ["*"], ["a"]),
        (r"a\[b", ["a[b"], ["ab"]),
        ("*.{py,txt}", ["a.py", "x/b.txt"], ["a.md", "a.{py,txt}"]),
        ("{a,b/c}/d", ["a/d", "b/c/d"], ["a/b/c/d"]),
        ("{a,{b,c}}", ["a", "b", "c"], ["d"]),
        ("{a", ["{a"], ["a"]),
        ("a}", ["a}"], ["a"]),
        ("a.b+(c)|d^$", ["a.b+(c)|d^$"], ["axb+(c)|d^$", "d"]),
        ("new\nline*", ["new\nline", "new\nlines\n"], ["newline"]),
    ],
)
def test_globs(pattern: str, fits: list[str], fits_not: list[str]) -> None:
    expression = glob(pattern)
    assert [path for path in fits if not expression.fullmatch(path.encode())] == []
    assert [path for path in fits_not if expression.fullmatch(path.encode())] == []


@given(st.text(max_size=30))
def test_any_text_is_a_glob_or_a_typed_refusal(text: str) -> None:
    try:
        glob(text).fullmatch(b"a/b")
    except ToolFailedError as error:
        assert error.reason == "bad_pattern"  # noqa: PT017 - either way is right


@given(st.text(st.characters(exclude_characters="*?[]{}\\/"), min_size=1, max_size=20))
def test_a_glob_without_special_characters_fits_exactly_its_text(text: str) -> None:
    encoded = text.encode("utf-8", "replace").decode()
    assert glob(encoded).fullmatch(encoded.encode())
    assert not glob(encoded).fullmatch(encoded.encode() + b"x")


def test_braces_are_ordinary_in_ignore_files() -> None:
    assert compiled(translated("{a,b}")).fullmatch(b"{a,b}")


@pytest.mark.parametrize(
    "pattern", ["\ud800", "(", r"\1", "a{2000}", "((a{100}){100}){100}", "(?:[^a]{1000}){9}" * 200]
)
def test_what_the_engine_does_not_take_is_a_typed_refusal(pattern: str) -> None:
    with pytest.raises(ToolFailedError) as refused:
        compiled(pattern)
    assert refused.value.reason == "bad_pattern"


def test_a_pattern_longer_than_anybody_needs_is_a_typed_refusal() -> None:
    for make in (glob, lambda text: expression(text, ignore_case=False, literal=True)):
        make("x" * 1000)
        with pytest.raises(ToolFailedError) as refused:
            make("x" * 4097)
        assert refused.value.reason == "bad_pattern"


RULES = {
    "*.log": ["a.log", "x/b.log", "a.log/"],
    "/top": ["top", "top/"],
    "folder/": ["folder/", "x/folder/"],
    "x/y": ["x/y", "x/y/"],
    "**/deep/*.c": ["deep/a.c", "q/deep/b.c"],
    "all/**": ["all/a", "all/b/c"],
    "trailing   ": ["trailing"],
    "space\\ ": ["space "],
    "\\#hash": ["#hash"],
    "\\!bang": ["!bang"],
    "[ab].txt": ["a.txt", "z/b.txt"],
    "\ufeffbom": ["bom"],
}
NOT_IGNORED = ["a.logs", "z/top", "folder", "z/x/y", "deep/x/a.c", "all", "space", "hash", "c.txt", "# comment"]


def test_each_kind_of_rule() -> None:
    for rule, paths in RULES.items():
        own = layer(rule.encode(), 0)
        assert own is not None
        for path in paths:
            assert ignored(path.encode(), (own,)), (rule, path)
    whole = layer("\n".join(["# comment", "", *RULES]).encode(), 0)
    assert whole is not None
    assert [path for path in NOT_IGNORED if ignored(path.encode(), (whole,))] == []


def test_the_last_rule_that_says_anything_has_the_word() -> None:
    own = layer(b"*.log\n!keep.log\nkeep.log/\n", 0)
    assert own is not None
    assert ignored(b"a.log", (own,))
    assert not ignored(b"keep.log", (own,))
    assert ignored(b"keep.log/", (own,))


def test_the_deepest_file_that_says_anything_has_the_word() -> None:
    above, below = layer(b"*.log\n", 0), layer(b"!keep.log\n/here\n", 4)
    assert above is not None
    assert below is not None
    assert not ignored(b"sub/keep.log", (above, below))
    assert ignored(b"sub/other.log", (above, below))
    assert ignored(b"sub/here", (above, below))
    assert not ignored(b"sub/x/here", (above, below))


def test_a_file_without_rules_is_no_layer_and_bad_rules_are_passed_over() -> None:
    assert layer(b"", 0) is layer(b"# comment\n\n   \n/\n!\n", 0) is None
    many = layer(b"\n".join([b"x" * 5000, b"\xff\xfe[", *(b"r%d" % n for n in range(500)), b"good"]), 0)
    assert many is not None
    assert ignored(b"good", (many,))
    assert ignored(b"r250", (many,))


GIT = shutil.which("git")


def test_git_agrees(tmp_path: Path) -> None:
    """Against the real thing, where it is installed, over rules and paths made of the same few names."""
    if GIT is None:
        return
    subprocess.run([GIT, "init", "-q", str(tmp_path)], check=True)
    paths = ["a", "b", "ab", "a.c", "d/a", "d/b", "d/a.c", "d/d/a", "d/d/ab", "d/d/a.c"]
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    wrong = []
    for rules in _samples():
        (tmp_path / ".gitignore").write_text("\n".join(rules) + "\n")
        told = subprocess.run(
            [GIT, "-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index", "--stdin"],
            input="\n".join(paths),
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        ).stdout.splitlines()
        own = layer("\n".join(rules).encode(), 0)
        ours = [path for path in paths if own and any(ignored(part, (own,)) for part in _way(path))]
        if ours != told:
            wrong.append((rules, ours, told))
    assert wrong == []


def _samples() -> list[list[str]]:
    import random

    choose = random.Random(7)
    names = ["a", "b", "*", "?", "*.c", "**", "[ab]", "[!a]", "a*", "d", "d*"]
    made = []
    for _ in range(150):
        rules = []
        for _ in range(choose.randint(1, 4)):
            parts = "/".join(choose.choice(names) for _ in range(choose.randint(1, 3)))
            rules.append(
                choose.choice(["", "", "!"]) + choose.choice(["", "/", "**/"]) + parts + choose.choice(["", "/"])
            )
        made.append(rules)
    return made


def _way(path: str) -> list[bytes]:
    """The folders on the way and the file: a file in an ignored folder is never looked at."""
    parts = path.split("/")
    return [*("/".join(parts[:n]).encode() + b"/" for n in range(1, len(parts))), path.encode()]
