"""What a spelling alone refuses, before anything is opened."""

import pytest

from licet.model.paths import PathPolicy
from licet.model.tool import ToolCapability, ToolSpec
from licet.model.verdict import PERMIT, Deny
from licet.policy.paths import below, climbs, judge_path, locate, paths_fit, pointers
from licet.policy.protected import PROTECTED, fold, why_unreadable, why_unwritable

ROOT = "/home/me/project"
PROJECT = PathPolicy.current_project(ROOT)
ROOTS = PathPolicy.allowed_roots(ROOT, "/srv/data", "/home/me/project/inner")
EVERYWHERE = PathPolicy.danger_full_access()


def reason(path: object, policy: PathPolicy = PROJECT, **options: bool) -> str:
    found = judge_path(path, policy, **options)
    return found.reason if found else ""


@pytest.mark.requirement("path.policies")
def test_each_policy_allows_the_spellings_that_it_says() -> None:
    inside = ["a", "./a", "a/../b", "...", "..a", "a/..", ".", ROOT, f"{ROOT}/", f"{ROOT}//a", "/home/me/./project/a"]
    outside = ["..", "../a", "a/../../b", "/", "/home/me", f"{ROOT}-evil/a", f"{ROOT}/../x", "/home/me/x/../project/a"]
    for path in inside:
        assert reason(path) == reason(path, ROOTS) == reason(path, EVERYWHERE) == "", path
    for path in outside:
        assert reason(path) == reason(path, ROOTS) == "path_outside_root", path
        assert reason(path, EVERYWHERE) == "", path
    for path in [*inside, *outside]:
        assert reason(path, PathPolicy.none()) == "path_outside_root"
    assert reason("/srv/data/x") == "path_outside_root"
    assert reason("/srv/data/x", ROOTS) == ""


@pytest.mark.requirement("path.relative-base")
def test_a_relative_path_starts_at_the_first_root_and_an_absolute_one_at_the_deepest_that_holds_it() -> None:
    assert locate("a/b", ROOTS.roots) == (0, "a/b")
    assert locate("/srv/data/x/y", ROOTS.roots) == (1, "x/y")
    assert locate(f"{ROOT}/inner/x", ROOTS.roots) == (2, "x")
    assert locate(f"{ROOT}/inner/../x", ROOTS.roots) == (0, "inner/../x")
    assert locate("../data/x", ROOTS.roots) is None


def test_the_rest_of_a_path_is_the_end_of_the_same_string() -> None:
    assert below(f"{ROOT}/a//b/./c/", ROOT) == "a//b/./c/"
    assert below(f"/.//home/me/project/{'x' * 9}", ROOT) == "x" * 9
    assert below(ROOT, ROOT) == below(f"{ROOT}/.", ROOT) == "."
    assert below(f"{ROOT}x", ROOT) is below("/home/me", ROOT) is below("/home/you/project", ROOT) is None
    assert below("/a", "/") == "a"


def test_a_root_is_known_by_its_real_name_too_if_somebody_looked() -> None:
    assert locate("/real/a", (ROOT,)) is None
    assert locate("/real/a", (ROOT,), {ROOT: "/real"}) == (0, "a")
    assert judge_path("/real/a", PROJECT, aliases={ROOT: "/real"}) is None
    assert reason("/real/../a", PROJECT) == "path_outside_root"


def test_climbing_is_counted_and_never_normalised_away() -> None:
    assert not climbs("a/b/../../c")
    assert climbs("a/../../c")
    assert climbs("..")
    assert not climbs("..a/b..")


@pytest.mark.parametrize("path", ["a\0", "\0", "a\0/../..", "\ud800", 7, None, ["a"], b"a", {"path": "a"}])
def test_what_can_be_the_name_of_nothing_is_refused_everywhere(path: object) -> None:
    for policy in (PROJECT, ROOTS, EVERYWHERE):
        assert reason(path, policy) == "path_outside_root"


def test_a_refusal_repeats_no_absolute_path() -> None:
    for path in ("/etc/passwd", "/home/you/secret", f"{ROOT}-evil/x"):
        verdict = judge_path(path, PROJECT)
        assert verdict is not None
        assert path not in verdict.message
        assert "relative to the project" in verdict.message


@pytest.mark.requirement("own.policy-is-protected")
def test_protected_names_are_refused_for_writing_at_any_depth_in_any_spelling() -> None:
    for name in PROTECTED:
        for path in (name, f"a/b/{name}", f"{name}/x/y", f"./{name}", f"{ROOT}/{name}", name.upper(), f"{name}."):
            assert reason(path, writing=True) == "path_protected", path
            assert reason(path) == "", f"{path} may be read"
            assert reason(path, EVERYWHERE, writing=True) == ""
    for spelling in (".\uff47it/x", ".g\u200bit", ".v\u017fcode", ".GIT ", ".git::$DATA", "audit.licet", "x.LICET-wal"):
        assert reason(spelling, writing=True) == "path_protected", spelling
    for harmless in (
        "git",
        ".gitignore",
        ".github/workflows/x.yml",
        "config/x",
        "licet.py",
        "alicet",
        "env",
        "a.licets",
    ):
        assert reason(harmless, writing=True) == "", harmless


@pytest.mark.requirement("own.policy-is-protected")
def test_the_state_of_licet_may_not_be_read_either() -> None:
    for path in (".licet", ".licet/ledger.db", "a/.Licet/x", f"{ROOT}/.licet", ".licet.", ".l\u0131cet/../.licet"):
        assert reason(path) == reason(path, writing=True) == "path_protected", path
    assert reason("licet") == reason("a.licet") == ""


def test_folding_makes_equal_what_some_file_system_takes_for_equal() -> None:
    assert fold(".Git") == fold(".git.") == fold(".git ") == fold(".\uff47\uff49\uff54") == fold(".gi\u200dt") == ".git"
    assert fold("\u212aelvin") == "kelvin"
    assert why_unwritable(["a", "b"]) == why_unreadable(["a", "b"]) == why_unwritable([]) == ""


def test_pointers_lead_to_each_value_that_is_there() -> None:
    arguments = {"path": "a", "files": [{"p": "b"}, {"p": "c"}, {}], "m~/": {"x": "d"}, "list": ["e", "f"], "n": 1}
    assert list(pointers(arguments, ("/path",))) == ["a"]
    assert list(pointers(arguments, ("/files/*/p",))) == ["b", "c"]
    assert list(pointers(arguments, ("/m~0~1/x", "/list/1", "/list/*"))) == ["d", "f", "e", "f"]
    assert list(pointers(arguments, ("/m~0~1/*", "/none", "/none/*", "/list/7", "/list/x", "/n/0", "/path/0"))) == ["d"]


def spec(access: str, *, read_only: bool = True) -> ToolSpec:
    return ToolSpec(
        name="t",
        path_access=access,  # type: ignore[arg-type]
        path_arguments=("/path", "/more/*") if access != "none" else (),
        capabilities=ToolCapability(read_only=read_only, writes=not read_only),
    )


def test_a_tool_without_paths_is_no_matter_of_paths() -> None:
    assert paths_fit(spec("none"), PathPolicy.none(), {"path": "/etc/passwd"}) is PERMIT


def test_a_tool_with_paths_is_not_even_listed_where_no_path_is_left_for_it() -> None:
    for policy, access in ((PathPolicy.none(), "danger_full_access"), (EVERYWHERE, "current_project")):
        for arguments in (None, {}, {"path": "a"}):
            verdict = paths_fit(spec(access), policy, arguments)
            assert isinstance(verdict, Deny)
            assert verdict.remedy
    for policy in (PROJECT, ROOTS, EVERYWHERE):
        assert paths_fit(spec("danger_full_access"), policy, None) is PERMIT


@pytest.mark.requirement("path.policies", "path.same-tools-any-policy")
def test_the_policy_of_the_run_decides_where_and_the_tool_only_narrows() -> None:
    second = {"path": "/srv/data/x"}
    assert paths_fit(spec("danger_full_access"), ROOTS, second) is PERMIT
    assert paths_fit(spec("allowed_roots"), ROOTS, second) is PERMIT
    assert isinstance(paths_fit(spec("current_project"), ROOTS, second), Deny)
    assert isinstance(paths_fit(spec("danger_full_access"), PROJECT, second), Deny)
    assert paths_fit(spec("danger_full_access"), EVERYWHERE, {"path": "/etc/passwd"}) is PERMIT


def test_every_path_argument_is_judged_and_a_missing_one_is_not() -> None:
    tool = spec("danger_full_access")
    assert paths_fit(tool, PROJECT, {}) is PERMIT
    assert paths_fit(tool, PROJECT, {"path": "a", "more": ["b", "c"]}) is PERMIT
    assert isinstance(paths_fit(tool, PROJECT, {"path": "a", "more": ["b", "../c"]}), Deny)
    assert isinstance(paths_fit(tool, PROJECT, {"path": ["a"]}), Deny)


def test_whatever_is_not_declared_read_only_is_judged_as_writing() -> None:
    arguments = {"path": ".git/config"}
    assert paths_fit(spec("danger_full_access"), PROJECT, arguments) is PERMIT
    flagless = ToolSpec(name="t", path_access="danger_full_access", path_arguments=("/path",))
    for tool in (spec("danger_full_access", read_only=False), flagless):
        verdict = paths_fit(tool, PROJECT, arguments)
        assert isinstance(verdict, Deny)
        assert verdict.reason == "path_protected"
