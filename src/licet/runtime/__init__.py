"""The corridor: one call, six rooms. Nothing else in the package reaches a handler, and no ticket leaves."""
