"""One loop that is there before any call of these tests, and until the last."""

import threading
from collections.abc import Iterator

import pytest
from denials import LOOP


@pytest.fixture(scope="session", autouse=True)
def running_loop() -> Iterator[None]:
    thread = threading.Thread(target=LOOP.run_forever, daemon=True)
    thread.start()
    yield
    LOOP.call_soon_threadsafe(LOOP.stop)
    thread.join()
    LOOP.close()
