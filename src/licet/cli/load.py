"""Tools of your own: what ``--from MODULE:ATTR`` names."""

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError, LicetError

if TYPE_CHECKING:
    from ..runtime.runtime import Runtime
    from ..sources.combine import Offer

KINDS = "a function, a Tool, a ToolSpec with its handler, a list of these, a source, a ToolRegistry or a Runtime"


def load(reference: str) -> "Runtime | list[Offer]":
    """What a reference names: the user's own runtime (a registry's too), or tools to register in one.

    The working directory is searched first. What the module prints while it is imported goes to standard error.

    Raises:
        ConfigurationError: there is no such module or name, the module raised, or it is nothing that holds tools.
    """
    module, colon, path = reference.partition(":")
    if not colon or not module or not path:
        raise ConfigurationError(f"--from {reference!r} is not MODULE:ATTR, such as mytools:tools")
    return _offered(_found(_imported(module), module, path), reference)


@contextmanager
def quiet_stdout() -> Iterator[None]:
    """Standard output belongs to the command: what foreign code prints meanwhile goes to standard error.

    What its child processes print, too; they know the stream by its number.
    """
    sys.stdout.flush()
    kept = _kept(sys.stdout)
    try:
        if kept is not None:
            os.dup2(2, 1)
        with redirect_stdout(sys.stderr):
            yield
    finally:
        if kept is not None:
            os.dup2(kept, 1)
            os.close(kept)


def _kept(stream: Any) -> int | None:
    """A second handle on standard output; None where the stream is not behind its number, or there is no other."""
    try:
        os.fstat(2)
        return os.dup(1) if stream.fileno() == 1 else None
    except (OSError, ValueError):
        return None


def _imported(module: str) -> Any:
    here = os.getcwd()
    if sys.path[:1] != [here]:
        sys.path.insert(0, here)
    try:
        with quiet_stdout():
            return importlib.import_module(module)
    except ModuleNotFoundError as exc:
        if exc.name and (module == exc.name or module.startswith(f"{exc.name}.")):
            raise ConfigurationError(
                f"there is no module {module!r}, in {here} or where Python looks; --from takes MODULE:ATTR, without .py"
            ) from exc
        raise ConfigurationError(f"importing {module!r} needs {exc.name!r}, which is not installed") from exc
    except LicetError as exc:
        raise ConfigurationError(f"importing {module!r} raised {type(exc).__name__}{_where(exc)}: {exc}") from exc
    except (Exception, SystemExit) as exc:
        raise ConfigurationError(
            f"importing {module!r} raised {type(exc).__name__}{_where(exc)}: {_text(exc)}"
        ) from exc


def _found(module: Any, name: str, path: str) -> Any:
    value = module
    for part in path.split("."):
        try:
            value = getattr(value, part)
        except Exception as exc:
            raise ConfigurationError(f"{name!r} has no {path!r}{_instead(module)}") from exc
    return value


def _offered(value: Any, reference: str) -> "Runtime | list[Offer]":
    from ..catalog import Tool
    from ..doors.registry import ToolRegistry
    from ..model.tool import ToolSpec
    from ..runtime.runtime import Runtime

    if isinstance(value, Runtime):
        return value
    if isinstance(value, ToolRegistry):
        return value.runtime
    offers = [*value] if isinstance(value, list | tuple) else [value]
    for offer in offers:
        usable = isinstance(offer, Tool | ToolSpec) or callable(getattr(offer, "tools", None)) or callable(offer)
        if not usable or isinstance(offer, type):
            what = f"the class {offer.__name__}" if isinstance(offer, type) else f"of type {type(offer).__name__}"
            raise ConfigurationError(f"--from {reference!r} is {what}, which holds no tool; name {KINDS}")
    return offers


def _where(exc: BaseException) -> str:
    """The innermost place, unless it is the import machinery or this module."""
    if isinstance(exc, SyntaxError) and exc.filename:
        return f" at {exc.filename}:{exc.lineno}"
    place, step = "", exc.__traceback__
    while step is not None:
        filename = step.tb_frame.f_code.co_filename
        if not filename.startswith("<frozen") and filename not in (__file__, importlib.__file__):
            place = f" at {filename}:{step.tb_lineno}"
        step = step.tb_next
    return place


def _text(exc: BaseException) -> str:
    if isinstance(exc, SyntaxError):
        return exc.msg
    try:
        return str(exc)[:500]
    except Exception:  # its own __str__ raised
        return "no text"


def _instead(module: Any) -> str:
    from ..catalog import Tool
    from ..model.tool import ToolSpec

    named = [name for name, value in vars(module).items() if isinstance(value, Tool | ToolSpec)]
    return f"; it has the tools {', '.join(named[:10])}" if named else ""


__all__ = ["load", "quiet_stdout"]
