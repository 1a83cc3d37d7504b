"""Rules that came down with a sub-task: whoever works on it is judged by those of its parents too."""

from collections.abc import Mapping
from typing import Any

from ...model.principal import Principal
from ...model.tool import ToolSpec
from ...model.verdict import PERMIT, Deny, Verdict
from ...policy.rules import Check
from ...project.manifest import Manifest


class Delegated:
    """A check for ``Runtime(checks=[..., Delegated()])``: what it holds of a principal judges that one alone.

    A principal is meant by identity: another one of the same name is somebody else.
    """

    def __init__(self) -> None:
        self._held: dict[int, tuple[Principal, tuple[Check, ...]]] = {}

    def hold(self, principal: Principal, checks: tuple[Check, ...]) -> None:
        """Judge this principal by these checks, the outermost parent's first."""
        self._held[id(principal)] = (principal, checks)

    def keeps(self, manifest: Manifest, principal: Principal) -> bool:
        """Whether it holds anything of this principal: what holds it puts the rules of its manifest there too."""
        return id(principal) in self._held and principal.name == manifest.name

    def release(self, principal: Principal) -> None:
        """Its work is over."""
        self._held.pop(id(principal), None)

    def __call__(self, principal: Principal, spec: ToolSpec, arguments: Mapping[str, Any] | None) -> Verdict:
        _, checks = self._held.get(id(principal), (None, ()))
        verdicts = [check(principal, spec, arguments) for check in checks]
        denied = next((verdict for verdict in verdicts if isinstance(verdict, Deny)), None)
        return denied or next((verdict for verdict in verdicts if verdict is not PERMIT), PERMIT)


__all__ = ["Delegated"]
