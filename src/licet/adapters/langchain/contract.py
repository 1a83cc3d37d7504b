"""The profile contract, embedded: the file is not on disk once the package is installed."""

# scripts/embed-contract writes this file from contracts/integration-tool-contract.json; edit that one.
import json
from typing import Any, Final

# fmt: off
# BEGIN CONTRACT
CONTRACT: Final[dict[str, Any]] = json.loads(r'''
{
  "contract_version": "0.1.0",
  "external_tool_name_convention": {
    "prefix": "algenta_",
    "pattern": "^algenta_[a-z0-9_]+$"
  },
  "mcp_tool_reference": {
    "get_contract": {
      "category": "read",
      "description": "Fetch the connected engine's live, machine-readable contract of capabilities. Call this first.",
      "read_only": true
    },
    "query_data": {
      "category": "read",
      "description": "Run one governed exact query, or a batch, against an authorized, connected dataset.",
      "read_only": true
    },
    "simulate": {
      "category": "utility",
      "description": "Run a Monte Carlo or decision simulation over a scenario; returns a decision envelope.",
      "read_only": true
    },
    "recommend": {
      "category": "utility",
      "description": "Return a governed recommendation without a full simulation run.",
      "read_only": true
    },
    "plan_decision": {
      "category": "utility",
      "description": "Produce a structured decision-plan summary for review. Does not execute anything.",
      "read_only": true
    },
    "log_decision": {
      "category": "write",
      "description": "Persist a decision record and its rationale to decision memory; returns a decision_id.",
      "read_only": false
    },
    "execute_decision": {
      "category": "write",
      "description": "Dispatch one logged decision, by its decision_id, to a webhook; returns an execution receipt.",
      "read_only": false,
      "safety_critical": true
    }
  },
  "profiles": {
    "observe": {
      "default": true,
      "tools": ["get_contract", "query_data", "simulate", "recommend"]
    },
    "govern": {
      "extends": "observe",
      "adds_tools": ["plan_decision", "log_decision"]
    },
    "execute": {
      "extends": "govern",
      "adds_tools": ["execute_decision"],
      "requires_all_of": ["server_side_enablement", "caller_role", "logged_decision_id"],
      "never_model_facing_fields": ["force", "override_safety"]
    },
    "full": {
      "tools": "*",
      "opt_in_only": true
    }
  },
  "conformance": {
    "checked_by": ["scripts/check-parity.py", "packages/licet-contract/src/check-parity.ts", "licet conformance"]
  }
}
''')
# END CONTRACT
