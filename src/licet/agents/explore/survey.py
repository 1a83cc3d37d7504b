"""The whole survey: stage after stage, and what their answers add up to."""

from collections import Counter
from collections.abc import Iterator
from shlex import quote

from .ask import Asking
from .count import Count, count_lines
from .entry import entry_points
from .fact import PURPOSES, Command, EntryPoint, Findings, Folder, Language, Pipeline, Said, Sized
from .language import language_of
from .licence import UNKNOWN, same_licence
from .listing import Listing, list_files
from .manifests.purpose import telling
from .marks import find_marks
from .tree import Branch, branches
from .words import Words, read_words


def survey(fallback_name: str, most_counted: int) -> Asking[Findings]:
    """Explore a project; it is called ``fallback_name`` unless it has a name of its own.

    The lines of so many files are counted; in a larger project the rest is estimated.
    """
    listing = yield from list_files()
    shape = branches(listing.folders)
    words = yield from read_words(listing, shape)
    count = yield from count_lines(listing, words.lines, most_counted)
    notes = [*listing.notes, *words.notes]
    marks = yield from find_marks(listing, notes)
    notes += _unseen(listing, count)
    return Findings(
        name=next((told.name for path, told in words.told if told.name and "/" not in path), fallback_name),
        descriptions=tuple(_descriptions(words)),
        files=len(listing.paths),
        lines=sum(count.lines.values()) + sum(count.estimates.values()),
        estimated=sum(count.estimates.values()),
        languages=tuple(_languages(listing, count)),
        licences=tuple(_licences(words)),
        commands=tuple(_commands(words)),
        pipelines=tuple(_pipelines(words)),
        folders=tuple(_folders(shape, words)),
        entry_points=tuple(_entry_points(listing, words)),
        biggest=tuple(_biggest(listing, count)),
        marks=tuple(marks),
        notes=tuple(notes),
    )


def _descriptions(words: Words) -> Iterator[Said]:
    """The README's first paragraph, and a manifest's one line unless the other says it too."""
    told = next(
        (Said(told.description, path) for path, told in words.told if told.description and "/" not in path), None
    )
    if words.readme is not None:
        yield words.readme
    if told is not None and (words.readme is None or told.text.rstrip(".") not in words.readme.text):
        yield told


def _languages(listing: Listing, count: Count) -> Iterator[Language]:
    files, lines = Counter[str](), Counter[str](count.estimates)
    for path in listing.paths:
        language = language_of(path.rpartition("/")[2])
        if language is None or path in listing.links or path in listing.odd:
            continue
        files[language] += 1
        lines[language] += count.lines.get(path, 0)
    languages = (Language(name, files[name], lines[name], count.estimates.get(name, 0)) for name in files)
    yield from sorted(languages, key=lambda language: (-language.lines, -language.files, language.name))


def _licences(words: Words) -> Iterator[Said]:
    """Each licence once, its text before what a manifest says of it."""
    have: list[str] = []
    for said in words.licences:
        if said.text == UNKNOWN and len(words.licences) > 1 and any(s.text != UNKNOWN for s in words.licences):
            continue
        if not any(same_licence(said.text, other) for other in have):
            have.append(said.text)
            yield said


def _commands(words: Words) -> Iterator[Command]:
    """By purpose, those of the project's own folder first; each line once."""
    have: set[str] = set()
    every = [_from_root(command, told.kind) for _, told in words.told for command in told.commands]
    for command in sorted(every, key=lambda command: PURPOSES.index(command.purpose)):
        if command.line not in have:
            have.add(command.line)
            yield command


def _from_root(command: Command, kind: str) -> Command:
    """The command as it is given in the project's folder."""
    folder = command.source.rpartition("/")[0]
    if not folder or kind == "Docker":
        return command
    return command._replace(line=f"cd {quote(folder)} && {command.line}")


def _pipelines(words: Words) -> Iterator[Pipeline]:
    """Those that test or build before those that do something else."""
    pipelines = [told.pipeline for _, told in words.told if told.pipeline is not None]
    yield from sorted(pipelines, key=lambda pipeline: -sum(map(telling, pipeline.commands[:10])))


def _folders(shape: list[Branch], words: Words) -> Iterator[Folder]:
    for branch in shape:
        yield Folder(branch.path, branch.depth, branch.files, words.purposes.get(branch.path))


def _entry_points(listing: Listing, words: Words) -> Iterator[EntryPoint]:
    named = [point for path, told in words.told for point in told.entry_points if path.count("/") <= 1]
    yield from dict.fromkeys(named)
    yield from entry_points(listing.folders, {point.name for point in named})


def _biggest(listing: Listing, count: Count) -> Iterator[Sized]:
    """The largest files that hold anything."""
    sized = [Sized(path, size, count.lines.get(path)) for path, size in listing.sizes.items() if size]
    yield from sorted(sized, key=lambda one: (-one.bytes, one.path))[:100]


def _unseen(listing: Listing, count: Count) -> Iterator[str]:
    """What was passed over, in sentences."""
    yield from count.notes()
    if listing.unreadable:
        yield f"Folders that could not be entered: {listing.unreadable:,}."
