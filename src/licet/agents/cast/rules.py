"""Rules that manifests put on arguments, as a check of the registry: a grant with rules never becomes one without."""

from collections.abc import Mapping
from typing import Any

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

    def hold(self, manifest: Manifest) -> bool:
        """Whether the rules of this manifest are among them."""
        return self._rules.get(manifest.name) == manifest.rules

    def __call__(self, principal: Principal, spec: ToolSpec, arguments: Mapping[str, Any] | None) -> Verdict:
        check = self._checks.get(principal.name)
        return PERMIT if check is None else check(principal, spec, arguments)


def require_rules(manifest: Manifest, registry: ToolRegistry) -> None:
    """Raises ConfigurationError: the manifest has rules, and the registry does not keep them."""
    if not manifest.rules:
        return
    if not any(isinstance(check, GrantRules) and check.hold(manifest) for check in registry.runtime.checks):
        text = "its grants have rules that the registry does not know; make it with checks=[GrantRules(manifest)]"
        raise manifest.wrong(("tools",), text)


__all__ = ["GrantRules", "require_rules"]
