"""The report as lines of pieces: what is said, in which order, how much of it; not how it looks."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from .fact import PURPOSES, Account, EntryPoint, Findings, Language, Pipeline, Report, Said, Sized, Told
from .line import EMPTY, Line, Piece
from .manifests.purpose import telling
from .prose import shortened
from .written import written

T = TypeVar("T")


_LANGUAGES, _FOLDERS, _FILES, _POINTS, _MARKS, _COMMANDS, _PIPELINES = 6, 7, 4, 4, 3, 3, 2
_PURPOSE_CHARACTERS, _COMMAND_CHARACTERS, _MODEL_CHARACTERS = 100, 80, 600


def page(report: Report, *, full: bool = False) -> list[Line]:
    """The whole report; everything with ``full``, else what fits on a screen."""
    lines: list[Line] = []
    if report.findings is not None:
        lines = findings_page(report.findings, full=full)
        said = [] if report.told is None else [EMPTY, *_model(report.told, full)]
        lines += said
    elif report.told is not None:
        lines = [Line("title", (_text(report.name),)), *_written(report.told)]
    return [*lines, EMPTY, *_account(report.account)]


def findings_page(found: Findings, *, full: bool = False) -> list[Line]:
    """What was found out about the project."""
    lines = [Line("title", (_text(found.name),))]
    said = found.descriptions if full else found.descriptions[:1]
    lines += (Line("quote", (_text(one.text + " "), *_source(one.source))) for one in said)
    if not found.files:
        return [*lines, _item("Size", _text("no files"))]
    lines += _facts(found, full)
    for heading, items in (
        ("Install, build, run, test", _commands(found, full)),
        (f"Folders{_of(len(found.folders), None if full else _FOLDERS)}", _folders(found, full)),
        (f"TODO and FIXME{_of(len(found.marks), None if full else _MARKS)}", _marks(found, full)),
    ):
        shown = list(items)
        if shown:
            lines += [EMPTY, Line("heading", (_text(heading),)), *shown]
    return lines


def _facts(found: Findings, full: bool) -> Iterator[Line]:
    yield _item("Size", _text(f"{_files(found.files)}, {_about(found.lines, found.estimated)} of text"))
    if found.languages:
        counted = max(sum(language.lines for language in found.languages), 1)
        shown = [_language(language, counted) for language in found.languages]
        yield _item("Languages", *_listed(shown, None if full else _LANGUAGES))
    licences = [_said(said) for said in found.licences] or [(_text("none found"),)]
    yield _item("Licence", *_listed(licences, None))
    if found.entry_points:
        yield _item("Entry points", *_listed(map(_entry_point, found.entry_points), None if full else _POINTS))
    if found.biggest:
        yield _item("Biggest", *_listed(map(_sized, found.biggest), None if full else _FILES, count=False))
    for note in found.notes:
        yield _item("Not seen", _text(note))


def _commands(found: Findings, full: bool) -> Iterator[Line]:
    for purpose in PURPOSES:
        commands = [
            (_code(command.line), _text(" "), *_source(command.source))
            for command in found.commands
            if command.purpose == purpose
        ]
        if commands:
            yield _item(purpose, *_listed(commands, None if full else _COMMANDS))
    shown = found.pipelines if full else found.pipelines[:_PIPELINES]
    for place, pipeline in enumerate(shown, start=1):
        more = len(found.pipelines) - place if place == len(shown) else 0
        rest = (_text(f"; and {more:,} pipelines more"),) if more else ()
        yield _item("CI", *_pipeline(pipeline, full), *rest)


def _folders(found: Findings, full: bool) -> Iterator[Line]:
    ranked = sorted(found.folders, key=lambda folder: (-folder.files, folder.depth, folder.path))
    shown = sorted(ranked if full else ranked[:_FOLDERS], key=lambda folder: folder.path.split("/"))
    for folder in shown:
        purpose = folder.purpose
        said: tuple[Piece, ...] = ()
        if purpose is not None:
            said = (_text(": " + (purpose.text if full else shortened(purpose.text, _PURPOSE_CHARACTERS))),)
        yield Line("item", (_code(folder.path + "/"), _text(f" {_files(folder.files)}"), *said))


def _marks(found: Findings, full: bool) -> Iterator[Line]:
    for mark in found.marks if full else found.marks[:_MARKS]:
        told = mark.text if full else shortened(mark.text, _PURPOSE_CHARACTERS)
        yield Line("item", (_code(f"{mark.path}:{mark.line}"), _text(" "), _code(told)))


def _written(told: Told) -> Iterator[Line]:
    """The words of a model that explored by itself, and what they are worth."""
    yield EMPTY
    yield from written(told.text or "It says nothing.")
    yield EMPTY
    yield Line("heading", (_text("Who says so"),))
    yield _item("Written by", _code(told.model), _text("; nobody checked it. What it saw are the calls of the run"))
    if told.stop != "done":
        yield _item("Not finished", _text(f"it was stopped by {told.stop.replace('_', ' ')}"))
    if told.tokens is not None:
        sent, got = told.tokens
        yield _item("Tokens", _text(f"{sent:,} sent, {got:,} written"))


def _model(told: Told, full: bool) -> Iterator[Line]:
    """What a model says: its words, which nobody vouches for."""
    yield Line("heading", (_text("What "), _code(told.model), _text(" says")))
    words = told.text if full else shortened(told.text, _MODEL_CHARACTERS)
    yield Line("quote", (_text(" ".join(words.split()) or "nothing"),))
    whose = "after it explored by itself" if told.own else "of what was found; a model can be wrong"
    yield Line(
        "item", (_text(f"{whose}: {told.calls:,} calls of its own, {told.refused:,} refused, {told.failed:,} failed"),)
    )


def _account(account: Account) -> Iterator[Line]:
    yield Line("heading", (_text("How this was found"),))
    tools = ", ".join(f"{calls:,} {tool}" for tool, calls in account.by_tool)
    by_tool = f" ({tools})" if tools else ""
    ends = f"{account.refused:,} refused, {account.failed:,} failed, {account.seconds:.2f} s"
    yield Line(
        "item",
        (
            _text(f"{account.planner}; as {account.principal}, {account.mode}: "),
            Piece("strong", f"{account.calls:,} calls"),
            _text(f"{by_tool}, {ends}"),
        ),
    )
    yield _item("Run", _code(account.run_id), _text(" on ledger "), _code(account.ledger))
    if account.verified:
        yield _item("Head", _code(account.head), _text(f", {account.entries:,} entries verified"))
    else:
        yield _item("The ledger is damaged", _text(account.verification))


# --- pieces ---


def _language(language: Language, counted: int) -> tuple[Piece, ...]:
    share = f" ({language.lines * 100 // counted} %)" if language.lines * 100 >= counted else ""
    return (_text(f"{language.name} {_files(language.files)}, {_about(language.lines, language.estimated)}{share}"),)


def _entry_point(point: EntryPoint) -> tuple[Piece, ...]:
    if point.name == point.target:
        return (_code(point.name),)
    if point.source == point.target:
        return _code(point.name), _text(" in "), _code(point.source)
    return _code(point.name), _text(" = "), _code(point.target), _text(" "), *_source(point.source)


def _pipeline(pipeline: Pipeline, full: bool) -> tuple[Piece, ...]:
    if not pipeline.commands:
        return (_code(pipeline.source),)
    commands = pipeline.commands if full else sorted(pipeline.commands, key=telling, reverse=True)
    shown = [(_code(command if full else shortened(command, _COMMAND_CHARACTERS)),) for command in commands]
    return _code(pipeline.source), _text(" runs "), *_listed(shown, None if full else _PIPELINES, between=", ")


def _sized(one: Sized) -> tuple[Piece, ...]:
    lines = "" if one.lines is None else f", {_lines(one.lines)}"
    return _code(one.path), _text(f" {_bytes(one.bytes)}{lines}")


def _said(said: Said) -> tuple[Piece, ...]:
    return _text(said.text + " "), *_source(said.source)


def _source(path: str) -> tuple[Piece, ...]:
    return _text("("), _code(path), _text(")")


def _item(label: str, *pieces: Piece) -> Line:
    return Line("item", (Piece("strong", f"{label}:"), _text(" "), *pieces))


def _listed(
    entries: Iterable[Sequence[Piece]], most: int | None, *, count: bool = True, between: str = "; "
) -> tuple[Piece, ...]:
    """Entries on one line, and how many there are beyond the limit."""
    every = list(entries)
    shown = every if most is None else every[:most]
    pieces: list[Piece] = []
    for entry in shown:
        pieces += (*((_text(between),) if pieces else ()), *entry)
    if count and len(every) > len(shown):
        pieces.append(_text(f"{between}and {len(every) - len(shown):,} more"))
    return tuple(pieces)


def _of(every: int, most: int | None) -> str:
    """For a heading: how many there are, and how many of them follow."""
    return f" ({every:,})" if most is None or every <= most else f" ({most} of {every:,})"


def _text(text: str) -> Piece:
    return Piece("text", text)


def _code(text: str) -> Piece:
    return Piece("code", text)


def _files(files: int) -> str:
    return "1 file" if files == 1 else f"{files:,} files"


def _about(lines: int, estimated: int) -> str:
    """As exact as it is: with an estimate in it, three digits."""
    return f"about {_lines(round(lines, 3 - len(str(lines))))}" if estimated else _lines(lines)


def _lines(lines: int) -> str:
    return "1 line" if lines == 1 else f"{lines:,} lines"


def _bytes(size: int) -> str:
    """Rounded, in units of 1000."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size = round(size / 1000)
    return f"{size} {unit}"
