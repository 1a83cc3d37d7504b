"""Pure checks: facts in, verdict out. No I/O, no clock, no registry, nothing that waits."""
