"""What a run has read, so that nothing is edited that was not seen as it is now."""

_MAX_FILES = 100_000


class Reads:
    """The digest of each file as the run last read or wrote it, by the file's one absolute name.

    The oldest are forgotten beyond 100,000 files: those have to be read again.
    """

    def __init__(self) -> None:
        self._digests: dict[str, str] = {}

    def note(self, key: str, digest: str) -> None:
        """The run knows the file as it is at this digest."""
        digests = self._digests
        if key not in digests and len(digests) >= _MAX_FILES:
            digests.pop(next(iter(digests)), None)
        digests[key] = digest

    def known(self, key: str) -> str | None:
        """The digest at which the run knows a file, or None: it never read it."""
        return self._digests.get(key)
