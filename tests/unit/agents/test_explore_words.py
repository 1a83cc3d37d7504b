"""A project's own words, its licences, its languages and its shape."""

import pytest

from licet.agents.explore.entry import entry_points
from licet.agents.explore.language import OTHER, language_of
from licet.agents.explore.licence import UNKNOWN, is_licence, licence_of, same_licence
from licet.agents.explore.prose import docstring, first_paragraph, go_comment, rust_comment, shortened
from licet.agents.explore.tree import Branch, branches, folders_of
from licet.agents.explore.words import readme_of

MARKDOWN = """<!-- a comment -->
<p align="center"><img src="logo.svg"></p>

# Spam ![badge](https://x.example/b.svg)

[![ci](https://x.example/ci.svg)](https://x.example/ci) [![b](c)](d)

> quoted

- a list

**Spam** is a [tool](https://x.example "title") for `eggs`,
and more.

Second paragraph.
"""

RST = """
====
Spam
====

.. image:: x.png

Spam is a tool for :class:`Eggs <spam.Eggs>` and `links <https://x.example>`_.
"""


def test_a_readme_is_known_by_its_first_paragraph_of_running_text() -> None:
    assert first_paragraph(MARKDOWN) == "Spam is a tool for eggs, and more."
    assert first_paragraph(RST) == "Spam is a tool for Eggs and links."
    assert first_paragraph("Title\n=====\nText right below the title.\n") == "Text right below the title."
    assert first_paragraph("# Only a title\n") == ""
    assert first_paragraph("") == ""


def test_long_text_ends_with_a_sentence_or_a_mark() -> None:
    assert shortened("short") == "short"
    assert shortened("One sentence here. Another sentence there. A third one.", 45) == (
        "One sentence here. Another sentence there."
    )
    assert shortened("word " * 30, 22) == "word word word word …"
    assert shortened("x" * 30, 10) == "x" * 10 + " …"


def test_packages_are_known_by_their_docstrings_and_comments() -> None:
    assert docstring('# coding\n"""What it does.\n\nMore."""\nx = 1') == "What it does."
    assert docstring("'''Title\n~~~~~\n\nA longer text follows it.'''") == "A longer text follows it."
    assert docstring('r"one line"') == "one line"
    assert docstring('"""never closed\n') == "never closed"
    assert docstring("import x\n'''not one'''") == ""
    assert go_comment("// Copyright\n\n// Package x does\n// things.\npackage x\n") == "Package x does things."
    assert go_comment("package x\n") == ""
    assert rust_comment("//! A crate that does\n//! things.\n//!\n//! More.\nuse x;\n") == "A crate that does things."


def test_a_text_without_end_is_read_in_linear_time() -> None:
    for evil in ("[", "![", "<a", "`", "**a", "[a](", "`a <", "//\n", "# x\n", "_", "<!--"):
        first_paragraph(evil * 50_000)
        docstring(evil * 50_000)
        licence_of(evil * 50_000)
        go_comment(evil * 50_000)


@pytest.mark.parametrize(
    ("text", "spdx"),
    [
        ("Apache License\nVersion 2.0, January 2004", "Apache-2.0"),
        ("GNU GENERAL PUBLIC LICENSE\n Version 3, 29 June 2007", "GPL-3.0"),
        ("GNU GENERAL PUBLIC LICENSE\n Version 2, June 1991", "GPL-2.0"),
        ("GNU LESSER GENERAL PUBLIC LICENSE\nVersion 3", "LGPL-3.0"),
        ("GNU AFFERO GENERAL PUBLIC LICENSE\nVersion 3", "AGPL-3.0"),
        ("Mozilla Public License Version 2.0 ... GNU General Public License, version 2", "MPL-2.0"),
        ("Redistribution and use in source and binary forms ... Neither the name of", "BSD-3-Clause"),
        ("Redistribution and use in source and\nbinary forms", "BSD-2-Clause"),
        (
            "Permission is hereby granted, free of charge, ... The above copyright notice and this permission notice",
            "MIT",
        ),
        ("// SPDX-License-Identifier: MIT OR Apache-2.0\n", "MIT OR Apache-2.0"),
        ("All rights reserved.", UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_a_licence_is_known_by_the_words_that_only_it_has(text: str, spdx: str) -> None:
    assert licence_of(text) == spdx


def test_licence_files_and_the_same_licence_under_two_names_are_recognised() -> None:
    for name in ("LICENSE", "license.txt", "LICENCE-MIT", "COPYING", "COPYING.LESSER", "UNLICENSE"):
        assert is_licence(name), name
    for name in ("licenses.py", "license_check.js", "mylicense", "README"):
        assert not is_licence(name), name
    assert same_licence("Apache License 2.0", "Apache-2.0")
    assert same_licence("BSD", "BSD-3-Clause")
    assert same_licence("GPL-3.0-or-later", "GPL-3.0")
    assert not same_licence("MIT", "Apache-2.0")


def test_languages_are_known_by_name_alone() -> None:
    known = {
        "a.py": "Python",
        "B.PY": "Python",
        "Makefile": "Makefile",
        "makefile.inc": "Makefile",
        "Dockerfile.dev": "Dockerfile",
        "CMakeLists.txt": "CMake",
        "notes.txt": "plain text",
        "bin": OTHER,
        "x.unheard": OTHER,
        ".gitignore": OTHER,
        "logo.png": None,
        "a.tar.gz": None,
    }
    assert {name: language_of(name) for name in known} == known


def test_the_map_joins_folders_that_hold_nothing_but_a_folder() -> None:
    paths = [
        "README",
        "src/main/java/a/A.java",
        "src/main/java/a/b/B.java",
        "docs/x",
        "docs/deep/er/y",
        "docs/deep/er/z/w",
    ]
    assert branches(folders_of(paths)) == [
        Branch("docs", 1, 3),
        Branch("docs/deep/er", 2, 2),
        Branch("src/main/java/a", 1, 2),
        Branch("src/main/java/a/b", 2, 1),
    ]
    assert branches({}) == []


def test_entry_points_are_files_that_start_something() -> None:
    paths = [
        "src/spam/__main__.py",
        "manage.py",
        "web/app.py",
        "pkg/__init__.py",
        "pkg/main.py",
        "cmd/tool/main.go",
        "src/main.rs",
        "crates/c/src/main.rs",
        "bin/go",
        "bin/lib.sh",
        "tests/__main__.py",
        "a/b/c/d/e/main.go",
    ]
    found = {point.name: point.target for point in entry_points(folders_of(paths), {"cargo run"})}
    assert found == {
        "python manage.py": "manage.py",
        "bin/go": "bin/go",
        "python web/app.py": "web/app.py",
        "python -m spam": "src/spam/__main__.py",
        "go run ./cmd/tool": "cmd/tool/main.go",
        "cargo run -p c": "crates/c/src/main.rs",
    }


def test_the_readme_that_says_most_is_read() -> None:
    assert readme_of(["readme.rst", "README.md", "README"]) == "README.md"
    assert readme_of(["Readme", "README.txt"]) == "Readme"
    assert readme_of(["README.fr.md", "x"]) is None
