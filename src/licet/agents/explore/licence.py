"""Which licence a text is, by the words that only it has. A guess for the first day; the file is named beside it."""

import re

_SPDX = re.compile(r"SPDX-License-Identifier:\s*([A-Za-z0-9.+-]+(?: (?:OR|AND|WITH) [A-Za-z0-9.+-]+)*)")

_TELLING: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Apache-2.0", ("apache license", "version 2.0")),
    ("MPL-2.0", ("mozilla public license", "2.0")),
    ("EPL-2.0", ("eclipse public license", "2.0")),
    ("EUPL-1.2", ("european union public licence", "1.2")),
    ("AGPL-3.0", ("gnu affero general public license", "version 3")),
    ("LGPL-3.0", ("gnu lesser general public license", "version 3")),
    ("LGPL-2.1", ("gnu lesser general public license", "version 2.1")),
    ("GPL-3.0", ("gnu general public license", "version 3")),
    ("GPL-2.0", ("gnu general public license", "version 2")),
    ("BUSL-1.1", ("business source license 1.1",)),
    ("BSL-1.0", ("boost software license", "version 1.0")),
    ("CC0-1.0", ("cc0 1.0 universal",)),
    ("CC-BY-4.0", ("creative commons attribution 4.0",)),
    ("PSF-2.0", ("python software foundation license",)),
    ("Unlicense", ("this is free and unencumbered software released into the public domain",)),
    ("WTFPL", ("do what the fuck you want to public license",)),
    ("Zlib", ("this software is provided 'as-is'", "altered source versions must be plainly marked")),
    ("BSD-3-Clause", ("redistribution and use in source and binary forms", "neither the name")),
    ("BSD-2-Clause", ("redistribution and use in source and binary forms",)),
    ("MIT", ("permission is hereby granted, free of charge", "the above copyright notice and this permission notice")),
    ("MIT-0", ("permission is hereby granted, free of charge",)),
    ("ISC", ("permission to use, copy, modify, and/or distribute this software",)),
    ("0BSD", ("permission to use, copy, modify, and/or distribute this software for any purpose with or without fee",)),
)
"""The first row wins whose phrases all stand in the text: of two relatives the one that says more comes first."""

_NAME = re.compile(r"(?:un)?licen[cs]es?(?:[-._].*)?|copying(?:[-._].*)?", re.IGNORECASE)
_NO_TEXT = (".py", ".js", ".ts", ".go", ".rs", ".c", ".h", ".json", ".html", ".svg", ".png")

UNKNOWN = "a licence of its own"


def is_licence(name: str) -> bool:
    """Whether a file of this name holds a licence."""
    return bool(_NAME.fullmatch(name)) and not name.lower().endswith(_NO_TEXT)


def licence_of(text: str) -> str:
    """The SPDX identifier of a licence's text, or ``UNKNOWN``."""
    stated = _SPDX.search(text[:20_000])
    if stated:
        return stated[1]
    head = " ".join(text[:20_000].lower().split())
    title = head[:400]
    for identifier, phrases in _TELLING:
        # A licence of the GNU family names its relatives further down; its own name stands at the top.
        where = title if "GPL" in identifier else head
        if all(phrase in where for phrase in phrases):
            return identifier
    return UNKNOWN


def same_licence(stated: str, read: str) -> bool:
    """Whether a manifest's words and a licence's text mean the same licence."""
    short = re.sub(r"-(?:only|or-later)$|-clause|[^a-z0-9.]|licen[cs]e|the", "", stated.lower())
    other = re.sub(r"-clause|[^a-z0-9.]", "", read.lower())
    return short == other or (len(short) >= 3 and (short in other or other in short))
