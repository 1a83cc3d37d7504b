"""The page of the command line names the commands and exit codes that exist."""

import re
from pathlib import Path

from licet.cli import COMMANDS, exits

PAGE = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text("utf-8")


def test_the_page_lists_exactly_the_commands_that_exist() -> None:
    listed = re.findall(r"^\| `licet (\w+)", PAGE, re.MULTILINE)
    assert list(dict.fromkeys(listed)) == list(COMMANDS)


def test_the_page_lists_exactly_the_exit_codes_that_exist() -> None:
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)}
    assert listed == {value for name, value in vars(exits).items() if name.isupper() and isinstance(value, int)}
