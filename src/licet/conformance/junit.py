"""A report in the form that build servers read. Everything in it is escaped, and nothing in it acts."""

import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from .run import Report
from .verdict import Outcome

if TYPE_CHECKING:
    from .baseline import Baseline

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What XML 1.0 cannot hold, section 2.2; and what acts on a terminal or turns the direction of a line."""


def junit(report: Report, against: "Baseline | None" = None) -> str:
    """With a baseline, what is not as it says is a failure, and what is red as expected is skipped."""
    failures = [one for one in report.outcomes if _fails(one, against)]
    skipped = [one for one in report.outcomes if one.verdict != "passed" and one not in failures]
    counts = f'tests="{len(report.outcomes)}" failures="{len(failures)}" skipped="{len(skipped)}" errors="0"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name={_quoted(f"licet conformance: {report.target}")} {counts} time="{report.seconds:.3f}">',
    ]
    for one in report.outcomes:
        about = f'classname={_quoted(f"{one.suite}.{one.topic}")} name={_quoted(one.vector)} time="{one.seconds:.3f}"'
        if one in failures:
            told = f"type={_quoted(one.verdict)} message={_quoted(one.told or one.title)}"
            inner = f"<failure {told}>{_text(one.title)}</failure>"
        elif one in skipped:
            inner = f"<skipped message={_quoted(one.told or one.verdict)}/>"
        else:
            lines.append(f"  <testcase {about}/>")
            continue
        lines.append(f"  <testcase {about}>{inner}</testcase>")
    return "\n".join([*lines, "</testsuite>", ""])


def _fails(outcome: Outcome, against: "Baseline | None") -> bool:
    return outcome.vector in against.moved if against is not None else not outcome.is_green


def _quoted(text: str) -> str:
    return quoteattr(_plain(text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _text(text: str) -> str:
    return escape(_plain(text))


def _plain(text: str) -> str:
    return _NOT_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


__all__ = ["junit"]
