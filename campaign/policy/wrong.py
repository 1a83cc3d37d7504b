"""Judges that are wrong on purpose, in the ways that have happened elsewhere. The comparison has to notice each."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

from licet.model.verdict import PERMIT, Ask, Deny, Permit, Verdict
from licet.policy import judge as real


class Prefixes(frozenset[str]):
    """Grants by the beginning of a name."""

    def __contains__(self, name: object) -> bool:
        return any(str(name).startswith(grant) for grant in self)


def _first_word(*judged: object) -> Verdict:
    """An early Ask hides a later Deny."""
    findings = real.explain(*judged)  # type: ignore[arg-type]
    words = [found.verdict for found in findings if not isinstance(found.verdict, Permit)]
    if words and isinstance(words[0], Ask) and findings[-1].check == "approver":
        return findings[-1].verdict
    return words[0] if words else PERMIT


def _raising_permits(check: object, principal: object, spec: object, payload: bytes | None) -> Verdict:
    verdict: Verdict = _asked(check, principal, spec, payload)
    return PERMIT if isinstance(verdict, Deny) and verdict.code == "check_failed" else verdict


_asked: Any = real.asked


def _starts_like(path: str, root: str) -> str | None:
    return path.removeprefix(root).lstrip("/") or "." if path.startswith(root) else None


WRONG: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "the first word that is no Permit wins": lambda: patch("licet.runtime.authorize.judge", _first_word),
    "a grant covers every name that begins with it": lambda: patch(
        "licet.model.principal.frozenset", Prefixes, create=True
    ),
    "a check that raises is passed over": lambda: patch("licet.policy.judge.asked", _raising_permits),
    "a path that begins with a root's text is inside it": lambda: patch("licet.policy.paths.below", _starts_like),
}
