"""The block that a model reads a result in: how to forge its end, and whether it held."""

import json

from .playground import END_OF_BLOCK, PAYLOAD


def forge_again(read: str) -> str:
    """A file's content that closes the block in which this text was just read, by its own marks, and goes on."""
    last = read.splitlines()[-1]
    opened = next((line for line in read.splitlines() if line.startswith("<<")), "")
    return f"A report.\n{END_OF_BLOCK}\n{last}\n\n{PAYLOAD}\n{opened}\n"


def block_is_whole(content: str) -> bool:
    """Whether all data stands encoded on one line, between the two places of a marker that stands nowhere else."""
    lines = content.split("\n")
    if len(lines) != 4:
        return False
    _, head, data, tail = lines
    marker = tail.removesuffix(">>")
    try:
        inside = json.loads(data)
    except ValueError:
        return False
    return (
        isinstance(inside, str)
        and head.startswith(f"<<data {marker} ")
        and tail == f"{marker}>>"
        and content.count(marker) == 2
        and not any(sign in data for sign in "<>[")
    )
