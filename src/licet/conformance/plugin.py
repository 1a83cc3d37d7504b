"""The vectors as tests of your own: a pytest plugin, which comes with licet.

A module that defines ``conformance_target``, a class or a function that makes a subject, and a test that takes the
argument ``conformance_vector``, has that test once for each vector. ``conformance_suites`` and ``conformance_profiles``
in the module choose among them. A vector that is not applicable skips its test, and says why.
"""

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

    from .vector import Vector

ARGUMENT = "conformance_vector"


def pytest_generate_tests(metafunc: "pytest.Metafunc") -> None:
    """One test for each vector that the module chooses."""
    if ARGUMENT not in metafunc.fixturenames:
        return
    from .vector import chosen

    module: Any = metafunc.module
    found = chosen(getattr(module, "conformance_suites", ()), getattr(module, "conformance_profiles", ()))
    metafunc.parametrize(ARGUMENT, found, ids=[vector.id for vector in found])


def examine(target: Any, vector: "Vector", *, patience_s: float = 10.0) -> None:
    """Play one vector on a subject in this process, for a plain test without an event loop.

    Raises:
        AssertionError: it is not as the vector says.
        pytest.skip.Exception: the vector is not applicable.
    """
    import pytest

    from .subject import UnsupportedError
    from .target import InProcess
    from .verdict import Found

    __tracebackhide__ = True
    try:
        asyncio.run(InProcess(target).play(vector, patience_s))
    except UnsupportedError as exc:
        pytest.skip(f"not applicable: {exc}")
    except Found as found:
        raise AssertionError(f"{vector.id}: {vector.title}: {found.verdict}: {found.told}") from None


__all__ = ["ARGUMENT", "examine", "pytest_generate_tests"]
