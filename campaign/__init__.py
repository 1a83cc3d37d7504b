"""Campaigns: seeded faults against the foundation, each with a control that it must catch. See scripts/campaign."""
