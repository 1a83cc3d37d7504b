"""Second stage, by ``read``: what the project says of itself in manifests, READMEs, licences and docstrings."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from . import licence, prose
from .ask import Asking, ask_all
from .fact import Said
from .listing import Listing
from .manifests import registry
from .manifests.told import Manifest, Told, UnreadableManifestError
from .tree import Branch

MOST_MANIFESTS = 60
MANIFEST_DEPTH = 3
MOST_FOLDERS = 60
"""Folders of the map that are asked for their purpose."""
MANIFEST_LINES = 5000
PROSE_LINES = 200

_PACKAGE_FILES = ("__init__.py", "doc.go", "lib.rs", "mod.rs", "src/lib.rs")
_README_ENDINGS = ("md", "markdown", "rst", "", "txt", "adoc")


@dataclass(slots=True)
class Words:
    """``told`` is in the order in which it counts; ``lines`` are those of the files that were read on the way."""

    told: list[tuple[str, Told]] = field(default_factory=list)
    readme: Said | None = None
    licences: list[Said] = field(default_factory=list)
    purposes: dict[str, Said] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read_words(listing: Listing, map_: list[Branch]) -> Asking[Words]:
    """Read what says something, each file once."""
    words = Words()
    yield from _manifests(listing, words)
    yield from _root(listing, words)
    yield from _purposes(listing, map_, words)
    return words


def _manifests(listing: Listing, words: Words) -> Asking[None]:
    near = [path for path in listing.paths if path.count("/") < MANIFEST_DEPTH and registry.reader_of(path)]
    texts = yield from _read(sorted(near, key=registry.rank_of)[:MOST_MANIFESTS], MANIFEST_LINES, words)
    for path, text in texts:
        reader = registry.reader_of(path)
        folder = path.rpartition("/")[0] or "."
        assert reader is not None
        try:
            told = reader(Manifest(path, text, frozenset(listing.folders.get(folder, ()))))
        except UnreadableManifestError as exc:
            words.notes.append(f"{path} could not be understood: {exc}.")
            continue
        words.told.append((path, told))
        if told.description and folder != ".":
            words.purposes.setdefault(folder, Said(told.description, path))


def _root(listing: Listing, words: Words) -> Asking[None]:
    names = listing.folders.get(".", [])
    readme = readme_of(names)
    licences = sorted(name for name in names if licence.is_licence(name))[:5]
    texts = dict((yield from _read([*([readme] if readme else ()), *licences], PROSE_LINES * 5, words)))
    if readme in texts and (told := prose.first_paragraph(texts[readme])):
        words.readme = Said(told, readme)
    for name in licences:
        if name in texts:
            words.licences.append(Said(licence.licence_of(texts[name]), name))
    for path, told_by in words.told:
        if told_by.licence and "/" not in path:
            words.licences.append(Said(told_by.licence, path))


def _purposes(listing: Listing, map_: list[Branch], words: Words) -> Asking[None]:
    asked: dict[str, str] = {}
    for branch in sorted(map_, key=lambda branch: -branch.files)[:MOST_FOLDERS]:
        if branch.path not in words.purposes and (speaker := _speaker(listing, branch.path)):
            asked[speaker] = branch.path
    for path, text in (yield from _read(list(asked), PROSE_LINES, words)):
        told = _said(path, text)
        if told:
            words.purposes[asked[path]] = Said(told, path)


def _speaker(listing: Listing, folder: str) -> str | None:
    """The file that speaks for a folder."""
    names = listing.folders.get(folder, [])
    for name in _PACKAGE_FILES:
        inner, _, last = name.rpartition("/")
        path = f"{folder}/{name}"
        if last in listing.folders.get(f"{folder}/{inner}" if inner else folder, ()) and listing.sizes.get(path, 1):
            return path
    readme = readme_of(names)
    return f"{folder}/{readme}" if readme else None


def _said(path: str, text: str) -> str:
    if path.endswith(".py"):
        return prose.docstring(text)
    if path.endswith(".go"):
        return prose.go_comment(text)
    return prose.rust_comment(text) if path.endswith(".rs") else prose.first_paragraph(text)


def readme_of(names: list[str]) -> str | None:
    """The README among some names."""
    found = {name.lower(): name for name in names if name.lower().startswith("readme")}
    wanted = (f"readme.{ending}" if ending else "readme" for ending in _README_ENDINGS)
    return next((found[name] for name in wanted if name in found), None)


def _read(paths: list[str], lines: int, words: Words) -> Asking[Iterator[tuple[str, str]]]:
    """The text of each file that could be read, as far as so many lines go."""
    results = yield from ask_all("read", ({"path": path, "limit": lines} for path in paths))
    texts: list[tuple[str, str]] = []
    for path, result in zip(paths, results, strict=True):
        if result.success:
            words.lines[path] = result.output["total_lines"]
            texts.append((path, result.output["text"]))
    return iter(texts)
