"""Tools of the workflow: each returns a command and touches nothing. May not enter: I/O but the reading of skills."""
