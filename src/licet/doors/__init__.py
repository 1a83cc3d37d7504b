"""Other doors into the same corridor. A door turns a result into what its callers expect; it decides nothing."""
