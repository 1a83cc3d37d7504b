"""What properties are called on a wire that does not take their names."""

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256


def called(names: Iterable[str], pattern: str) -> dict[str, str]:
    """Of each name that does not match, another that does: by the name alone, as long as nobody else is called that."""
    legal = re.compile(pattern, re.ASCII)
    taken = set(names)
    told: dict[str, str] = {}
    for name in names:
        if legal.fullmatch(name) is None and name not in told:
            told[name] = next(one for one in _candidates(name) if one not in taken)
            taken.add(told[name])
    return told


def _candidates(name: str) -> Iterator[str]:
    """At most 64 characters each. A stranger may find names that share a digest, so there is no end of them."""
    readable = re.sub(r"[^A-Za-z0-9]+", "_", name, flags=re.ASCII).strip("_")[:32]
    prefix = readable if readable[:1].isalpha() else f"p_{readable}".rstrip("_")
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    yield f"{prefix}_{digest[:8]}"
    yield f"{prefix}_{digest[:16]}"
    number = 2
    while True:
        yield f"{prefix}_{digest[:16]}_{number}"
        number += 1


__all__ = ["called"]
