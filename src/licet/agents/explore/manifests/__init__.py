"""What files such as ``pyproject.toml`` and ``Makefile`` say of their project: text in, facts out.

May not enter: anything that opens a file, a parser that can be made slow or that executes what it reads.
"""
