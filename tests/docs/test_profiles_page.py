"""The page on profiles says what the contract says, and names every word of the checkers."""

import re
from pathlib import Path

from licet.profiles import shipped
from licet.project.config import load

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "profiles.md").read_text("utf-8")


def test_the_table_of_profiles_is_the_contracts() -> None:
    held: tuple[str, ...] = ()
    for name, profile in shipped().profiles.items():
        (row,) = re.findall(rf"^\| `{name}` \| (.*) \|$", PAGE, re.MULTILINE)
        assert f"`{profile.mode}`" in row
        if profile.tools is not None:
            assert re.findall(r"`(\w+)`", row.partition(" | ")[0]) == list(profile.tools[len(held) :])
            held = profile.tools
    assert all(f"`{field}`" in PAGE for field in shipped().never_model_facing)
    assert f"`{shipped().pattern}`" in PAGE


def test_the_page_names_every_word_of_the_checkers() -> None:
    files = (ROOT / "scripts" / "check-parity.py", *sorted((ROOT / "scripts" / "parity").glob("*.py")))
    checker = "".join(file.read_text("utf-8") for file in files)
    told = set(re.findall(r'Finding\("(\w+)"', checker)) | set(
        re.findall(r'(?:keys|yield from keys)\("(\w+)"', checker)
    )
    told |= {"computed", "duplicate_key", "not_json", "never_field_drift", "missing_tool", "invented_tool"}
    listed = set(re.findall(r"`(\w+)`", PAGE.partition("## Copies")[2].partition("## LiteLLM")[0]))
    assert told <= listed
    (quoted,) = re.findall(r"`contracts/(vectors\.json)`", PAGE)
    assert (ROOT / "contracts" / quoted).is_file()


def test_the_configuration_on_the_page_loads(tmp_path: Path) -> None:
    (shown,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    path = tmp_path / "licet.yaml"
    path.write_text(shown)
    engine = load(path).agents["analyst"].engine
    assert engine is not None
    assert engine.profile.name == "observe"


def test_the_version_of_litellm_on_the_page_is_the_one_that_the_tests_install() -> None:
    (told,) = re.findall(r"\| LiteLLM ([\d.]+) \|", PAGE)
    assert f'"litellm[proxy]=={told}"' in (ROOT / "pyproject.toml").read_text("utf-8")
