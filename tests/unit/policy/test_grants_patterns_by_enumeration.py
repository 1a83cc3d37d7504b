"""Patterns of names against a second, slow reading of them: every short pattern on every short name."""

import re
from itertools import product

from licet.policy.grants import matches


def likewise(pattern: str, text: str) -> bool:
    expression = "".join({"*": ".*", "?": "."}.get(sign, re.escape(sign)) for sign in pattern)
    return re.fullmatch(expression, text) is not None


def test_every_short_pattern_matches_what_it_means() -> None:
    texts = ["".join(text) for length in (1, 2, 3, 4) for text in product("ab", repeat=length)]
    patterns = ["".join(pattern) for length in (1, 2, 3, 4) for pattern in product("ab*?", repeat=length)]
    wrong = [
        (pattern, text)
        for pattern, text in product(patterns, texts)
        if matches(f"local/{pattern}", f"local/{text}") is not likewise(pattern, text)
    ]
    assert wrong == []
