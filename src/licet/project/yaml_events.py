"""The events of a YAML text, from a scanner that stops at the first character of what is not used here."""

from collections.abc import Iterator
from functools import cache
from typing import Any, NoReturn

MAX_DEPTH = 64
"""Lists and mappings inside one another."""

MAX_TOKENS = 10_000
"""Of one file: scalars, brackets, dashes, colons."""

TOO_DEEP = f"more than {MAX_DEPTH} lists and mappings stand inside one another; use fewer"


class Stop(Exception):  # noqa: N818 - whoever reads turns it into an error with the file's name
    """The text is not strict. ``line`` counts from 1, ``problem`` says what and what instead."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem


def events(text: str) -> Iterator[Any]:
    """The events of the parser; whatever it cannot read is a ``Stop``."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError
    from ruamel.yaml.reader import ReaderError

    reader = YAML(typ="safe", pure=True)
    reader.Scanner = _strict_scanner()
    try:
        yield from reader.parse(text)
    except Stop:
        raise
    except MarkedYAMLError as exc:
        mark = exc.problem_mark or exc.context_mark
        raise Stop(mark.line + 1 if mark else 1, _problem(exc)) from None
    except ReaderError as exc:
        line = text.count("\n", 0, exc.position) + 1
        raise Stop(line, "a control character stands here; write it as an escape in double quotes") from None
    except Exception as exc:  # an escape beyond Unicode, for instance, trips the parser itself
        raise Stop(1, f"the file cannot be read as YAML ({type(exc).__name__}); mend it") from None


def _problem(exc: Any) -> str:
    problem, context = str(exc.problem or "this cannot be read"), str(exc.context or "")
    if "'\\t'" in problem:
        return "a tab cannot indent a line; use spaces (inside { } and [ ] tabs are fine)"
    return f"{context + ': ' if context else ''}{problem}; mend the YAML here"


@cache
def _strict_scanner() -> Any:
    """The parser's scanner, which refuses at the first character of what is not used here."""
    from ruamel.yaml.scanner import Scanner

    class StrictScanner(Scanner):
        tokens_seen = 0

        def fetch_more_tokens(self) -> Any:
            self.tokens_seen += 1
            if self.tokens_seen > MAX_TOKENS:
                self._refuse(f"more than {MAX_TOKENS} words and signs; use a smaller file")
            return super().fetch_more_tokens()

        def fetch_flow_collection_start(self, *args: Any, **options: Any) -> None:
            if self.flow_level >= MAX_DEPTH:
                self._refuse(TOO_DEEP)
            super().fetch_flow_collection_start(*args, **options)

        def fetch_directive(self) -> None:
            self._refuse("directives (%) are not used here; the file is YAML 1.2 without one")

        def fetch_anchor(self) -> None:
            self._refuse('anchors (&) are not used here; write a value that starts with & in quotes, as "&"')

        def fetch_alias(self) -> None:
            self._refuse('aliases (*) are not used here; write a value that starts with * in quotes, as "*"')

        def fetch_tag(self) -> None:
            self._refuse('tags (!) are not used here; write a value that starts with ! in quotes, as "!"')

        def _refuse(self, problem: str) -> NoReturn:
            raise Stop(self.reader.get_mark().line + 1, problem)

    return StrictScanner


__all__ = ["MAX_DEPTH", "MAX_TOKENS", "TOO_DEEP", "Stop", "events"]
