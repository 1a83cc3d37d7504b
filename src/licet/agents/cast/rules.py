"""Rules that manifests put on arguments, as a check of the registry: a grant with rules never becomes one without."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from ...doors.registry import ToolRegistry
from ...model.principal import Principal
from ...model.tool import ToolSpec
from ...model.verdict import PERMIT, Verdict
from ...policy.operator import argument_rules
from ...policy.rules import Check
from ...project.manifest import Manifest


class GrantRules:
    """The check of these manifests, each for the agent of its own name: ``ToolRegistry(checks=[GrantRules(...)])``."""

    def __init__(self, *manifests: Manifest) -> None:
        self._rules = {manifest.name: manifest.rules for manifest in manifests if manifest.rules}
        self._checks: dict[str, Check] = {name: argument_rules(rules) for name, rules in self._rules.items()}

    def keeps(self, manifest: Manifest, principal: Principal) -> bool:
        """Whether calls of this principal are judged by the rules of this manifest."""
        return principal.name == manifest.name and self._rules.get(manifest.name) == manifest.rules

    def __call__(self, principal: Principal, spec: ToolSpec, arguments: Mapping[str, Any] | None) -> Verdict:
        check = self._checks.get(principal.name)
        return PERMIT if check is None else check(principal, spec, arguments)


@runtime_checkable
class KeepsRules(Protocol):
    """A check that knows of whom it keeps which rules."""

    def keeps(self, manifest: Manifest, principal: Principal) -> bool:
        """Whether calls of this principal are judged by the rules of this manifest."""
        ...


def require_rules(manifest: Manifest, registry: ToolRegistry, principal: Principal) -> None:
    """Raises ConfigurationError: the manifest has rules, and no check of the registry keeps them."""
    if not manifest.rules:
        return
    checks: tuple[object, ...] = registry.runtime.checks
    if not any(isinstance(check, KeepsRules) and check.keeps(manifest, principal) for check in checks):
        text = "its grants have rules that the registry does not know; make it with checks=[GrantRules(manifest)]"
        raise manifest.wrong(("tools",), text)


__all__ = ["GrantRules", "KeepsRules", "require_rules"]
