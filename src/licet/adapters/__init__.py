"""Agent frameworks and gateways over the corridor: one folder each, imported only by who uses that framework."""
