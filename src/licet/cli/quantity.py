"""Numbers that a person types."""

import argparse


def count(text: str) -> int:
    """A number of 1 or more. Raises argparse.ArgumentTypeError: it is none."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of 1 or more")
    return number


__all__ = ["count"]
