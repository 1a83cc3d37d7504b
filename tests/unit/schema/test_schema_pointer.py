"""JSON pointers, and a stranger's text in a message."""

from licet.schema.docstring import parameter_descriptions
from licet.schema.pointer import legible, place, pointer


def test_a_pointer_escapes_as_rfc_6901_does() -> None:
    assert pointer(()) == ""
    assert pointer(("a", 0, "")) == "/a/0/"
    assert pointer(("a/b", "m~n", "~1")) == "/a~1b/m~0n/~01"
    assert place("") == "the root"
    assert place("/a\x1b") == "/a\\x1b"


def test_text_for_a_message_is_on_one_line_printable_and_short() -> None:
    hostile = "a\n\r\x00\x1b[31m\x9b\u200b\u202e\u2066\ufeff\U000e0041\ud800\u2028b é 漢 😀"
    shown = legible(hostile)
    assert shown.isprintable()
    assert shown.startswith("a\\n\\r\\x00\\x1b[31m\\x9b\\u200b\\u202e\\u2066\\ufeff\\U000e0041\\ud800\\u2028b é 漢 😀")
    assert legible("x" * 1000) == "x" * 200 + "..."
    assert legible("x" * 50, 10) == "x" * 10 + "..."
    assert legible("plain") == "plain"


def test_a_docstring_without_a_section_describes_nothing() -> None:
    for docstring in (None, "", "Find.", "Args: of a kind\n    a: b", "Args:", "Args:\n\nReturns: x"):
        assert parameter_descriptions(docstring) == {}


def test_a_section_ends_where_the_text_returns_to_the_margin() -> None:
    docstring = """Find.

    Arguments:
        a (dict[str, int], optional): one
            goes on: here

            and here
        *b: two
        c:
            three
    Note: d: no parameter
    """
    assert parameter_descriptions(docstring) == {"a": "one goes on: here and here", "b": "two", "c": "three"}
