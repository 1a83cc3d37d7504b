"""One written file, ``licet.yaml``: found, read strictly, trusted by a person, and turned into facts.

Nothing here starts a server or decides about a call. What needs an environment variable takes it as an argument.
"""
