"""Takes values out of what another client's file says, so that what is written holds variables in their place."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from ..errors import ConfigurationError
from ..model.server import ServerSpec
from .imported import Entry
from .secret import secret_places
from .secret_values import Secret, scheme_of, secret_name, secrets_in
from .variables import FOLDER, MissingVariable, expand, literal, problem, references

_SYSTEM = frozenset(("HOME", "LANG", "LOGNAME", "PATH", "PWD", "SHELL", "TERM", "TMPDIR", "USER"))
"""What these stand for is the person's, not one server's."""

_INPUT = re.compile(r"\$\{input:([^}]*)\}")
_REFERENCE = re.compile(r"\$\{[^}]*\}")
_USER_HOME = re.compile(r"\$\{userHome\}")
_DEFAULT = re.compile(r"\$\{((?:env:)?[A-Za-z_][A-Za-z0-9_]*):-[^}]+\}", re.ASCII)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_LEAST_REPEATED = 8
"""Characters of a secret that is looked for in the other places, too."""


class Needed(NamedTuple):
    """A variable to set before a server can be used, and what needs it."""

    name: str
    where: str


class Mover:
    """``values`` are what the other file had in the place of each variable: secrets, for starting its servers now.

    They are in no text that is made of this object.
    """

    def __init__(self, environ: Mapping[str, str], folder: str) -> None:
        self._environ = environ
        self._folder = folder
        self.values: dict[str, str] = {}
        self.needed: list[Needed] = []
        self.notes: list[tuple[str, str]] = []

    def __repr__(self) -> str:
        return f"Mover({', '.join(need.name for need in self.needed)})"

    def move(self, entry: Entry) -> Entry | str:
        """The entry with variables in place of values, or why it cannot be used here."""
        if "${" in entry.command:
            return "variables never expand in a command; write the program out there"
        if problem(entry.cwd, only_folder=True):
            return "its cwd names a variable; write the folder out there"
        for key in entry.left_out:
            self.notes.append((entry.id, f"{key} has no effect here and is left out"))
        entry = self._with_header_for_userinfo(self._with_usable_env(_in_our_words(entry)))
        env = {name: self._held(entry.id, f"env {name}", text, name) for name, text in entry.env.items()}
        headers = {name: self._header(entry.id, name, text) for name, text in entry.headers.items()}
        args = tuple(
            self._text(entry.id, f"argument {at + 1}", text, entry.args[at - 1] if at else "")
            for at, text in enumerate(entry.args)
        )
        args = tuple(map(self._without_known, args))
        url = self._without_known(self._text(entry.id, "url", entry.url, ""))
        for place in secret_places(args, {}, url, {}):  # what licet check would find fault with
            if place[0] == "args":
                at = int(place[1])
                whole = self._variable(entry.id, f"argument {at + 1}", args[at], "secret")
                args = (*args[:at], whole, *args[at + 1 :])
            else:
                self.notes.append((entry.id, "its url looks as if it holds a secret; move it into a variable"))
        return _refused(entry, args, url) or entry._replace(args=args, env=env, headers=headers, url=url)

    def _held(self, server: str, where: str, text: str, word: str) -> str:
        """A value of ``env`` or of a header: whatever is literal in it goes into a variable."""
        if problem(text):
            return self._variable(server, where, text, word)
        bare = _DEFAULT.sub(r"${\1}", text)
        rest = _REFERENCE.sub("", bare)
        if not rest and bare == text:
            self._refer(server, where, text)
            return text
        if not rest:  # only a default is literal
            for reference in references(text):
                self.values.setdefault(reference.name, reference.default or "")
            self._refer(server, where, bare)
            return bare
        try:
            whole = expand(text, self._environ, self._folder)
        except MissingVariable:  # so nobody knows the whole either
            held = self._variable(server, where, text, word)
            self.values.pop(references(held)[0].name)
            return held
        return self._variable(server, where, whole, word)

    def _header(self, server: str, name: str, text: str) -> str:
        scheme = scheme_of(text)
        word = "token" if scheme else name
        return scheme + self._held(server, f"header {name}", text[len(scheme) :], word)

    def _text(self, server: str, where: str, text: str, before: str) -> str:
        """An argument or URL: only secrets go."""
        if problem(text):
            text = literal(text)
        parts, at = [], 0
        for secret in secrets_in(text, before):
            parts += [text[at : secret.start], self._secret(server, where, text, secret)]
            at = secret.end
        whole = "".join([*parts, text[at:]])
        self._refer(server, where, whole)
        return whole

    def _secret(self, server: str, where: str, text: str, secret: Secret) -> str:
        return self._variable(server, where, text[secret.start : secret.end], secret.word)

    def _variable(self, server: str, where: str, value: str, word: str) -> str:
        """The variable that stands for a value from now on."""
        name = self._name(server, word, value)
        if name not in self.values:
            self.values[name] = value
        self._need(name, server, where)
        return f"${{{name}}}"

    def _name(self, server: str, word: str, value: str) -> str:
        """The word itself where it is a variable's name, else the server's and the word. One name has one value."""
        known = next((name for name, held in self.values.items() if held == value and secret_name(name)), None)
        if known is not None and secret_name(word):
            return known
        own = word if _VARIABLE.fullmatch(word) and word.isupper() and word not in _SYSTEM else ""
        prefixed = _constant(f"{server}_{word}")
        candidates = [*([own] if own else []), prefixed, *(f"{prefixed}_{number}" for number in range(2, 1000))]
        return next(name for name in candidates if self.values.get(name, value) == value)

    def _refer(self, server: str, where: str, text: str) -> None:
        for reference in references(text):
            if reference.default is None:
                self._need(reference.name, server, where)

    def _need(self, name: str, server: str, where: str) -> None:
        needed = Needed(name, f"{server}: {where}")
        if all(known.name != name for known in self.needed):
            self.needed.append(needed)

    def _without_known(self, text: str) -> str:
        """A secret that was found in one place is not left in another."""
        for name, value in self.values.items():
            if len(value) >= _LEAST_REPEATED and secret_name(name):
                text = text.replace(value, f"${{{name}}}")
        return text

    def _with_usable_env(self, entry: Entry) -> Entry:
        env: dict[str, str] = {}
        for name, text in entry.env.items():
            try:
                ServerSpec(id="a", command="a", env={name: ""})
            except ConfigurationError as exc:
                self.notes.append((entry.id, f"{str(exc).removeprefix('mcp/a: ')}; it is left out"))
            else:
                env[name] = text
        return entry._replace(env=env)

    def _with_header_for_userinfo(self, entry: Entry) -> Entry:
        """No URL holds a password here: what stood in front of its host goes into the header that says the same."""
        found = re.fullmatch(r"(https?://)([^/?#]*)@(.*)", entry.url, re.DOTALL | re.IGNORECASE)
        if found is None:
            return entry
        from base64 import b64encode

        said = b64encode(unquote(found[2]).encode()).decode()
        if any(name.lower() == "authorization" for name in entry.headers):
            self.notes.append(
                (entry.id, "its url held a user name or password beside an Authorization header: left out")
            )
            return entry._replace(url=found[1] + found[3])
        self.notes.append((entry.id, "the user name and password of its url became a header"))
        return entry._replace(url=found[1] + found[3], headers={**entry.headers, "Authorization": f"Basic {said}"})


def _refused(entry: Entry, args: Sequence[str], url: str) -> str:
    """Why no server can be made of it, whatever its variables stand for; nothing if one can."""
    env, headers = dict.fromkeys(entry.env, ""), dict.fromkeys(entry.headers, "")
    try:
        if url:
            ServerSpec(id=entry.id, url=_REFERENCE.sub("x", url), headers=headers)
        else:
            ServerSpec(id=entry.id, command=entry.command, args=tuple(args), cwd=entry.cwd or None, env=env)
    except ConfigurationError as exc:
        return str(exc).removeprefix(f"mcp/{entry.id}: ")
    return ""


def _in_our_words(entry: Entry) -> Entry:
    """What editors write and this file does not know: an input is a variable, the user's folder is ``HOME``."""

    def put(text: str) -> str:
        text = _INPUT.sub(lambda asked: f"${{{_constant(asked[1])}}}", text)
        return _USER_HOME.sub("${HOME}", text)

    def puts(texts: Mapping[str, str]) -> dict[str, str]:
        return {name: put(text) for name, text in texts.items()}

    return entry._replace(
        args=tuple(map(put, entry.args)), env=puts(entry.env), headers=puts(entry.headers), url=put(entry.url)
    )


def _constant(text: str) -> str:
    name = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_").upper() or "VALUE"
    return name if not name[0].isdigit() else f"_{name}"


def still_needed(needed: Sequence[Needed], environ: Mapping[str, str]) -> list[Needed]:
    """Those that are not set, and not the folder of the file."""
    return [need for need in needed if need.name not in environ and need.name != FOLDER]


__all__ = ["Mover", "Needed", "still_needed"]
