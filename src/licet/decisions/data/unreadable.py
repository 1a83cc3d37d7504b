"""A file that is no dataset."""


class Unreadable(Exception):  # noqa: N818 - it says what became of the file
    """``code`` is for callers, the message for the dataset's owner: what, and what instead."""

    def __init__(self, code: str, problem: str) -> None:
        super().__init__(problem)
        self.code = code
