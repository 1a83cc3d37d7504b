"""All operations of a registry are safe under concurrent threads, and a failed one changes nothing."""

import sys
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from licet import ToolRegistry, ToolSpec
from licet.errors import RegistrationError, ToolError


@pytest.fixture(autouse=True)
def switch_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def together(count: int, work: Callable[[int], None]) -> list[BaseException]:
    barrier, failed = threading.Barrier(count), list[BaseException]()

    def run(number: int) -> None:
        barrier.wait()
        try:
            work(number)
        except BaseException as exc:
            failed.append(exc)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failed


def answer(**_: Any) -> dict[str, Any]:
    return {}


@pytest.mark.requirement("registry.thread-safe")
def test_of_threads_that_register_one_name_exactly_one_wins() -> None:
    with ToolRegistry() as registry:
        for round_ in range(30):
            failed = together(6, lambda n, name=f"t{round_}": registry.register(name, str(n), answer) and None)
            assert len(failed) == 5
            assert all(isinstance(exc, RegistrationError) for exc in failed)
        assert len(registry.list_tools()) == 30


@pytest.mark.requirement("registry.thread-safe")
def test_of_threads_that_remove_one_name_exactly_one_did() -> None:
    with ToolRegistry() as registry:
        for round_ in range(30):
            registry.register(f"t{round_}", "", answer)
            removed: list[bool] = []
            together(6, lambda n, name=f"t{round_}", removed=removed: removed.append(registry.remove(name)))
            assert sorted(removed) == [False] * 5 + [True]
        assert registry.list_tools() == []


@pytest.mark.requirement("registry.thread-safe")
def test_nothing_is_lost_and_no_reader_sees_half_a_change() -> None:
    with ToolRegistry() as registry:
        stop = threading.Event()
        wrong: list[str] = []

        def read() -> None:
            while not stop.is_set():
                names = [spec.name for spec in registry.list_tools()]
                if len(names) != len(set(names)):
                    wrong.append("a name twice")
                for name in names:
                    spec = registry.get(name)
                    if spec is not None and spec.name != name:
                        wrong.append("another tool")

        readers = [threading.Thread(target=read) for _ in range(2)]
        for reader in readers:
            reader.start()

        def work(number: int) -> None:
            for n in range(20):
                registry.register(f"keep-{number}-{n}", "", answer)
                registry.register(f"drop-{number}-{n}", "", answer)
                registry.register(f"keep-{number}-{n}", "again", answer, replace=True)
                assert registry.remove(f"drop-{number}-{n}")

        failed = together(6, work)
        stop.set()
        for reader in readers:
            reader.join()
        assert (failed, wrong) == ([], [])
        assert {spec.name for spec in registry.list_tools()} == {
            f"local/keep-{number}-{n}" for number in range(6) for n in range(20)
        }


@pytest.mark.requirement("registry.thread-safe")
def test_calls_while_tools_come_and_go_end_as_a_result_or_as_an_unknown_tool() -> None:
    with ToolRegistry() as registry:
        manifest = SimpleNamespace(tools=["t"])
        registry.register("t", "", answer)
        stop = threading.Event()

        def flip() -> None:
            while not stop.is_set():
                registry.remove("t")
                registry.register("t", "", answer)

        flipping = threading.Thread(target=flip)
        flipping.start()
        ended: list[str] = []

        def work(number: int) -> None:
            for _ in range(20):
                try:
                    ended.append(str(registry.call("a", manifest, "t")))
                except ToolError as exc:
                    ended.append(exc.error_type)

        failed = together(4, work)
        stop.set()
        flipping.join()
        assert failed == []
        assert set(ended) <= {"{}", "UnknownToolError"}


def test_a_source_that_registers_while_it_is_listed_does_not_deadlock() -> None:
    """The lock is re-entrant: a callback may come back."""
    with ToolRegistry() as registry:

        class Eager(ToolSpec):
            pass

        spec = Eager(name="one", handler=answer)
        with registry._lock:
            registry.register(spec)
            with registry._lock:
                assert registry.remove("one")
        assert registry.list_tools() == []
