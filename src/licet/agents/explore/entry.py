"""Where a program begins, as far as names of files tell."""

from collections.abc import Collection, Container, Iterator, Mapping

from .fact import EntryPoint

_ASIDE = frozenset(
    {"test", "tests", "testing", "example", "examples", "docs", "doc", "vendor", "third_party", "fixtures"}
)
_PYTHON = frozenset({"manage.py", "main.py", "app.py", "wsgi.py", "asgi.py"})
_DEEPEST = 4


def entry_points(folders: Mapping[str, Collection[str]], have: Container[str]) -> Iterator[EntryPoint]:
    """Files that are started, in order of depth; what manifests named already stands in ``have`` and is left out."""
    found: list[tuple[int, str, str]] = []
    for folder, names in folders.items():
        parts = folder.split("/") if folder != "." else []
        if len(parts) > _DEEPEST or not _ASIDE.isdisjoint(parts):
            continue
        prefix = f"{folder}/" if parts else ""
        found += ((len(parts), prefix + name, told) for name in names if (told := _starter(name, parts, names)))
    for _, path, started in sorted(found):
        if started not in have:
            yield EntryPoint(started, path, path)


def _starter(name: str, folders: list[str], beside: Collection[str]) -> str:
    here = "/".join(folders)
    if name == "__main__.py":
        package = folders[1:] if folders[:1] in (["src"], ["lib"]) else folders
        return f"python -m {'.'.join(package)}" if package else "python ."
    if name in _PYTHON and len(folders) <= 1 and "__init__.py" not in beside:
        return f"python {here}/{name}" if here else f"python {name}"
    if name == "main.go":
        return f"go run ./{here}" if here else "go run ."
    if name == "main.rs" and folders[-1:] == ["src"]:
        crate = folders[-2:-1]
        return f"cargo run -p {crate[0]}" if crate else "cargo run"
    if name in ("server.js", "server.ts") and len(folders) <= 1:
        return f"node {here}/{name}" if here else f"node {name}"
    if folders == ["bin"] and "." not in name:
        return f"bin/{name}"
    return "dotnet run" if name == "Program.cs" else ""
