"""Agents from files: a manifest says what each may call and emit, a handler what it does when its turn comes.

An agent holds no tool. It asks a ``ToolRegistry`` under its own manifest, reads what comes back as data, and gives
events; what its manifest does not list is refused, calls by the registry and events here.

May not enter: chance, the clock. Whoever drives an agent injects ids and secrets.
"""
