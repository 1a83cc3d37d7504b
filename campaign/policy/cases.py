"""Random policies and calls as plain data, so that a case that matters can be printed, shrunk and replayed."""

import json
import random
from typing import Any, NamedTuple

from campaign.reference import Call, Caller, Tool

LONG = "l" * 314  # local/ and this are the longest canonical name
NAMES = (
    *("read", "rea", "reader", "read.er", "git.read", "0", "a-b_c.d", LONG),
    *("mcp/read", "mcp/git.read", "mcp/git.reader", "mcp/gi.t.read", "mcp/git2.read", "mcp/git..read", "mcp/git."),
    *("mcp.git/read", "mcp2/git.read", "locals/read", "lo.cal/read", "m/cp.git.read"),
)
STRANGE_NAMES = (
    *("", "/", "local/", "/read", "a/b/c", "mcp/", "mcp//git.read", "local/local/read", ".read", "-read", "mcp/.read"),
    *("réad", "read ", " read", "read\n", "read\0", "\uff52ead", "re\u200bad", "read;rm", "mcp\\git.read", "*", "r*"),
    *("READ", "Read", "local/Read", "LOCAL/read", "mcp/GIT.read", "read.", "rea.", "mcp/git", "mcp", "local", "git"),
    *(LONG + "l", "local/" + LONG + "l", LONG + "l" * 6, LONG + "l" * 7, "mcp/git.reade", "mcp/git.readers"),
)
PATTERNS = (
    *("*", "read*", "r?ad", "re*er", "local/*", "*/read", "mcp/*", "mcp/git.*", "mcp/*.read", "mcp/g*.read"),
    *(
        "mcp*/git.read",
        "mcp/git.rea?",
        "lo*/read",
        "m?p/*.*",
        "mcp/git?.read",
        "git.*",
        "?",
        "*/*",
        "*/*.*",
        "mcp/*it.*",
    ),
)
GROUPS = ("read_only_builtins", "editing_builtins", "read_only_builtin", "own")
MODES = ("read_only", "workspace_write", "danger_full_access")
ACCESS = ("none", "current_project", "allowed_roots", "danger_full_access")
ROOTS = ("/srv/p", "/srv/p-evil", "/srv/q", "/srv/p/inner", "/", "/srv")
PARTS = 8 * ("a", "b.txt", "c", "..", "..", ".", "", "...", "..a", "inner", "p", "~", "é") + (
    *(".git", ".GIT", ".git.d", "git", ".licet", ".Licet", "licet.yaml", "licet.yml", "licet.lock", "LICET.YAML"),
    *(".mcp.json", ".claude", ".cursor", ".vscode", ".codex", "mcp.json", ".Claude", ".github", ".gitignore"),
)

_STRING = {"type": "string"}
_N = {"type": "integer", "minimum": 0, "maximum": 9}
FORMS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "plain": ({"n": _N}, ()),
    "path": ({"path": _STRING, "n": _N}, ("/path",)),
    "two": ({"from": _STRING, "to": _STRING}, ("/from", "/to")),
    "many": ({"paths": {"type": "array", "items": _STRING}}, ("/paths/*",)),
    "deep": ({"where": {"type": "object", "properties": {"path": _STRING}}}, ("/where/path",)),
    "loose": ({"path": {}, "n": _N}, ("/path",)),
    "odd": ({"a/b~c": _STRING}, ("/a~1b~0c",)),
}
"""Closed objects without a required member but where a world says so, and the pointers to their paths."""

NOT_JSON = (
    *("", "{", "[]", '"path"', "null", "1", "{}x", '{"n":1,"n":2}', '{"n":NaN}', '{"n":1e999}', '{"n":-Infinity}'),
    *('{"n":18446744073709551616}', '{"path":"\\ud800"}', "{'n':1}", '{"n":01}', '{"where":' * 70 + "1" + "}" * 70),
)
WORDS = ("permit", "ask", "deny rule_forbids", "deny own_code", "raise", "nothing", "true", "text", "class", "meddle")
WHEN = ("always", "call", "listing", "many n")


class Slot(NamedTuple):
    """One check: what it says about which tools, and when; ``else_says`` is for the other times."""

    says: str
    when: str
    on: tuple[str, ...] | None
    else_says: str = "permit"

    def word(self, name: str, arguments: Any) -> str:
        """Of a canonical name, and of arguments or None. What ``meddle`` does besides must make no difference."""
        if self.on is not None and name not in self.on:
            return "permit"
        listing = arguments is None
        now = {
            "always": True,
            "call": not listing,
            "listing": listing,
            "many n": not listing and isinstance(arguments.get("n"), int) and arguments["n"] > 4,
        }[self.when]
        return self.says if now else self.else_says


class World(NamedTuple):
    """What is registered: the tools as the reference knows them, and for each its form and what its source claims."""

    tools: tuple[Tool, ...]
    forms: tuple[str, ...]
    needs: tuple[bool, ...]
    claims: tuple[tuple[bool | None, bool | None], ...]


class Case(NamedTuple):
    """``approver`` is None, or what it answers. ``text`` gives the arguments as JSON text instead of a mapping."""

    world: World
    caller: Caller
    slots: tuple[Slot, ...]
    approver: str | None
    call: Call
    text: str | None

    @property
    def offered(self) -> Any:
        """The arguments as the runtime gets them."""
        return self.call.arguments if self.text is None else self.text


def some_world(rng: random.Random) -> World:
    names = rng.sample(NAMES, rng.randint(1, 9))
    tools, forms, needs, claims = [], [], [], []
    for name in names:
        name = name if "/" in name else f"local/{name}"
        form = rng.choice(tuple(FORMS))
        pointers = FORMS[form][1]
        source = rng.choice(("builtin", "dynamic", "dynamic", "hosted" if rng.random() < 0.4 else "dynamic"))
        if not name.startswith("local/") and rng.random() < 0.5:
            source = "mcp"
        access = rng.choice(ACCESS[1:] if pointers else ACCESS)
        tools.append(
            Tool(
                name,
                source,
                rng.choice(("tool", "tool", "validation", "intrinsic")),
                rng.choice((None, *GROUPS)),
                rng.random() < 0.5,
                rng.random() < 0.2,
                access,
                pointers,
            )
        )
        forms.append(form)
        needs.append(rng.random() < 0.3)
        claims.append((rng.choice((None, True, False)), rng.choice((None, True, False))))
    return World(tuple(tools), tuple(forms), tuple(needs), tuple(claims))


def some_caller(rng: random.Random, world: World) -> Caller:
    mode = rng.choice(MODES)
    access = rng.choice(ACCESS if mode == "danger_full_access" else ACCESS[:3])
    many = {"current_project": 1, "allowed_roots": rng.randint(1, 3)}.get(access, 0)
    grants = [tool.name for tool in world.tools if rng.random() < 0.6]
    grants += rng.sample(NAMES, rng.randint(0, 3))
    spelled = tuple(g.removeprefix("local/") if rng.random() < 0.5 else g for g in grants)
    sets: list[tuple[str, str]] = []
    while rng.random() < 0.35:
        sets.append(rng.choice((("glob", rng.choice(PATTERNS)), ("group", rng.choice(GROUPS)))))
    if rng.random() < 0.04:
        sets.append(("full", ""))
    return Caller(spelled, tuple(sets), mode, access, tuple(rng.choices(ROOTS, k=many)))


def some_slots(rng: random.Random, world: World) -> tuple[Slot, ...]:
    slots = []
    for _ in range(rng.choice((0, 0, 1, 2, 3, 4))):
        on = None if rng.random() < 0.4 else tuple(t.name for t in world.tools if rng.random() < 0.4)
        says, else_says = (rng.choice(WORDS[:4] if rng.random() < 0.6 else WORDS) for _ in range(2))
        slots.append(Slot(says, rng.choice(WHEN), on, else_says if rng.random() < 0.2 else "permit"))
    return tuple(slots)


def some_call(rng: random.Random, world: World, caller: Caller) -> tuple[Call, str | None]:
    """A call, mostly of something that is registered; and its arguments as text if they are given so."""
    at = rng.randrange(len(world.tools))
    name, form, needed = world.tools[at].name, world.forms[at], world.needs[at]
    name = name.removeprefix("local/") if rng.random() < 0.3 else name
    if rng.random() < 0.12:
        registered = {tool.name for tool in world.tools}
        name = rng.choice([n for n in STRANGE_NAMES + NAMES if n not in registered and f"local/{n}" not in registered])
    if rng.random() < 0.05:
        return Call(name, {}, is_json=False), rng.choice(NOT_JSON)
    arguments, fits = some_arguments(rng, form, needed, caller)
    return Call(name, arguments, True, fits), json.dumps(arguments) if rng.random() < 0.1 else None


def some_arguments(rng: random.Random, form: str, needed: bool, caller: Caller) -> tuple[dict[str, Any], bool]:
    members = FORMS[form][0]
    arguments: dict[str, Any] = {}
    fits = True
    for key in members:
        if not needed and rng.random() < 0.25:
            continue
        path = some_path(rng, caller)
        if key == "n":
            arguments[key] = rng.randint(0, 9)
        elif key == "paths":
            arguments[key] = [path, *(some_path(rng, caller) for _ in range(rng.randint(0, 2)))][rng.randint(0, 1) :]
        elif key == "where":
            arguments[key] = {"path": path} if rng.random() < 0.8 else {}
        elif form == "loose" and rng.random() < 0.3:
            arguments[key] = rng.choice((None, 7, ["/etc"], {"path": "/etc"}, True, 1.5))
        else:
            arguments[key] = path
    if rng.random() < 0.12:
        fits = False
        wrong = rng.choice(("more", "missing", "type", "type"))
        if wrong == "missing" and needed:
            del arguments[rng.choice(tuple(members))]
        elif wrong == "type" and form != "loose":
            arguments[rng.choice(tuple(members))] = rng.choice((None, -1, 10, 3.5, True))
        else:
            arguments["more"] = 1
    return arguments, fits


def some_path(rng: random.Random, caller: Caller) -> str:
    root = rng.choice(caller.roots) if caller.roots and rng.random() < 0.7 else rng.choice(ROOTS)
    parts = [rng.choice(PARTS) for _ in range(4)]
    tail = "/".join(parts[: rng.randint(0, 4)])
    path = rng.choice(
        (tail, f"{root}/{tail}", root, f"{root}{tail}", f"/{tail}", f"{root}/../{tail}", f"/{root}/{tail}")
    )
    return path + rng.choice(("", "", "", "", "/", "\0", "-evil")) if rng.random() < 0.3 else path
