"""Every test: an ``async def test_...`` runs on a loop of its own, and none waits longer than a person would."""

import asyncio
import inspect
from collections.abc import Iterator

import pytest

from licet import Runtime
from licet.testing import FixedClock, RecordingLedger

PATIENCE_S = 30.0
"""A test that hangs fails with its own traceback instead of holding the whole run."""


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    wanted = inspect.signature(pyfuncitem.obj).parameters
    given = {name: value for name, value in pyfuncitem.funcargs.items() if name in wanted}

    async def within_patience() -> None:
        async with asyncio.timeout(PATIENCE_S):
            await pyfuncitem.obj(**given)

    asyncio.run(within_patience())
    return True


@pytest.fixture
def ledger() -> RecordingLedger:
    return RecordingLedger()


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def closing() -> Iterator[list[Runtime]]:
    """Runtimes and registries to close when the test ends, whatever it found."""
    held: list[Runtime] = []
    yield held
    for one in held:
        one.close()
