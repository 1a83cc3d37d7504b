"""The connected datasets of an engine, and the queries that they answer."""

import asyncio
import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..error import DecisionError
from ..fit import fitted
from .answer import answer
from .arguments import QUERY
from .catalog import View, view
from .connect import Ready, Unusable, connect
from .dataset import Asker, Dataset
from .locked import MEMORY_MB, THREADS, locked
from .statement import Statement, statement

if TYPE_CHECKING:
    import duckdb

PATIENCE_S = 10.0
"""That one query may take."""

AT_ONCE = 2
"""Queries that run, of a tenant one; further ones wait."""

MAX_ANSWER = 4_000_000
"""Characters of all texts in one answer."""

_BLOCK = 200


class Data:
    """Open until ``close``. Every method may be called from one event loop; queries run in threads of their own.

    ``problems`` says for each dataset that cannot be used why, in words for its owner; the others work.
    """

    def __init__(
        self,
        datasets: Mapping[str, Dataset],
        *,
        memory_mb: int = MEMORY_MB,
        threads: int = THREADS,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._database = locked(
            (one.path for one in datasets.values() if one.kind != "sqlite"), memory_mb=memory_mb, threads=threads
        )
        self._held = {name: connect(one, self._database) for name, one in datasets.items()}
        self._key = secrets.token_hex(32)
        self._patience = patience_s
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._turns_of: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(1))
        self.problems = {name: one.problem for name, one in self._held.items() if isinstance(one, Unusable)}

    def describe(self, caller: Asker) -> dict[str, Any]:
        """``{datasets: [...]}``: what this caller may ask about, without rows, paths or what the role may not see."""
        told: list[dict[str, Any]] = []
        for name, one in self._held.items():
            if not _is_visible(one.dataset, caller):
                continue
            if isinstance(one, Ready):
                told.append({"available": True, **view(one.dataset, one.kinds, caller.role).document()})
            else:
                told.append({"available": False, "dataset_id": name, "problem": one.code})
        return {"datasets": told}

    async def query(self, caller: Asker, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The answer of one query (see ``answer``), or ``{"answers": [...]}`` of a batch, in its order.

        A batch is looked at as a whole before its first query runs, and fails as a whole.

        Raises:
            DecisionError: ``invalid_arguments``; ``dataset_not_found`` (404), alike for another tenant's;
                ``dataset_unavailable`` (503); what ``statement`` raises; ``query_timed_out`` and
                ``query_out_of_memory`` (503); ``query_failed``: the data cannot be computed this way;
                ``answer_too_large``.
        """
        told = fitted(QUERY, arguments, where="query_data")
        queries: Sequence[Mapping[str, Any]] = told.get("queries", (told,))
        made = [self._statement(caller, one) for one in queries]
        answers = []
        for query, one in zip(queries, made, strict=True):
            async with self._turns_of[caller.tenant], self._turns:
                answers.append(answer(query, one, await self._rows(one)))
        return {"answers": answers} if "queries" in told else answers[0]

    def close(self) -> None:
        """Ends what still runs."""
        self._database.interrupt()
        self._database.close()

    def _statement(self, caller: Asker, query: Mapping[str, Any]) -> Statement:
        name = query["dataset_id"]
        return statement(query, self._view(caller, name), name, self._key)

    def _view(self, caller: Asker, name: str) -> View:
        held = self._held.get(name)
        if held is None or not _is_visible(held.dataset, caller):
            known = [one for one, held in self._held.items() if _is_visible(held.dataset, caller)]
            raise DecisionError(
                "dataset_not_found", f"there is no such dataset; use one of: {', '.join(known) or 'none'}", status=404
            )
        if isinstance(held, Unusable):
            raise DecisionError(
                "dataset_unavailable",
                f"the dataset {name} cannot be used ({held.code}); its owner has to mend it",
                status=503,
                details={"problem": held.code},
            )
        return view(held.dataset, held.kinds, caller.role)

    async def _rows(self, made: Statement) -> list[Any]:
        cursor = self._database.cursor()
        work = asyncio.ensure_future(asyncio.to_thread(_run, cursor, made))
        try:
            async with asyncio.timeout(self._patience):
                return await asyncio.shield(work)
        except TimeoutError:
            raise DecisionError(
                "query_timed_out", f"the query took more than {self._patience:g} s; filter or group less", status=503
            ) from None
        finally:
            if not work.done():
                await _ended(cursor, work)
            cursor.close()


def _is_visible(dataset: Dataset, caller: Asker) -> bool:
    return dataset.tenants is None or caller.tenant in dataset.tenants


async def _ended(cursor: "duckdb.DuckDBPyConnection", work: "asyncio.Future[list[Any]]") -> None:
    """The thread is told to stop until it has: an interruption that comes before the query does is not heard."""
    while not work.done():
        cursor.interrupt()
        await asyncio.wait((work,), timeout=0.05)
    with suppress(DecisionError):
        work.result()


def _run(cursor: "duckdb.DuckDBPyConnection", made: Statement) -> list[Any]:
    import duckdb

    try:
        return _fetched(cursor.execute(made.text, dict(made.parameters)))
    except duckdb.OutOfMemoryException:
        problem = "the query needs more memory than the engine has; filter or group less"
        raise DecisionError("query_out_of_memory", problem, status=503) from None
    except duckdb.InterruptException:
        raise DecisionError("query_stopped", "the query was stopped", status=503) from None
    except duckdb.Error:  # its text may name files and values
        problem = "the data cannot be computed this way: a root of what has none, a sum that overflows, a damaged file"
        raise DecisionError("query_failed", problem) from None


def _fetched(cursor: "duckdb.DuckDBPyConnection") -> list[Any]:
    rows: list[Any] = []
    characters = 0
    while block := cursor.fetchmany(_BLOCK):
        characters += sum(len(value) for row in block for value in row if isinstance(value, str))
        if characters > MAX_ANSWER:
            problem = f"the answer has more than {MAX_ANSWER} characters; filter more, or group by shorter texts"
            raise DecisionError("answer_too_large", problem)
        rows += block
    return rows
