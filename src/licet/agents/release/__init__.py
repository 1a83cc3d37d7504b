"""Release notes without a model: scripts that stand where models would, and see nothing but what one would read.

May not enter: files, git, the state of a workflow other than as a block of data.
"""
