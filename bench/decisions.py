"""The decision engine's two long jobs, against what they are made of: NumPy's expression, and DuckDB's statement.

``simulate``: a million draws of ten triangular variables, objective, mean, spread, both tails, losses and digest; the
bare side draws the same numbers from the same streams, evaluates the expression as Python and takes the mean. The
query: a group-by over ten million rows of Parquet through the schema, the catalog and the answer; the bare side runs
the statement that a person would write, on a connection of the same limits. Time is of the wall; a process of the
query's also tells its own peak of memory, as a share of 1 GB, and one of the simulation's as a share of 512 MB.
"""

import asyncio
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from bench.measure import Gate

MODULE = "bench.decisions"
PACKAGES = ("licet", "duckdb", "numpy")
UNIT = "ms; memory in MB"
GROUPS = (("simulate",), ("query",), ("largest",))
DRAWS = 1_000_000
ROWS = 10_000_000

SIMULATED, BARE_NUMPY = "simulate, 10^6 draws of 10 variables", "the expression in NumPy"
QUERIED, BARE_DUCKDB = "query_data, group-by over 10^7 rows", "the statement in DuckDB"
LARGEST, QUERY_PEAK = "simulate, 10^8 draws of one variable: peak MB", "query_data: peak MB"
HALF_GIGABYTE, GIGABYTE = "limit: 512 MB", "limit: 1 GB"
GATES = (
    Gate("simulate / bare NumPy", SIMULATED, BARE_NUMPY, 1.5, 1.2),
    Gate("query_data / bare DuckDB", QUERIED, BARE_DUCKDB, 1.3, 1.1),
    Gate("peak of the largest simulation / 512 MB", LARGEST, HALF_GIGABYTE, 1),
    Gate("peak of the query / 1 GB", QUERY_PEAK, GIGABYTE, 1),
)
VARIABLES = [{"name": f"x{n}", "low": n, "mode": n + 1, "high": n + 4} for n in range(10)]
OBJECTIVE = "x0 * x1 + x2 * x3 - x4 * x5 + max(x6, x7) * 0.5 + x8 - x9"


class Caller(NamedTuple):
    tenant: str = "bench"
    role: str = "analyst"


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    done = work()
    return (time.perf_counter() - began) * 1e3, done


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def bare_numpy(seed: int) -> float:
    import numpy as np

    children = np.random.SeedSequence(seed).spawn(10)
    x0, x1, x2, x3, x4, x5, x6, x7, x8, x9 = (
        np.random.Generator(np.random.PCG64(child)).triangular(n, n + 1, n + 4, DRAWS)
        for n, child in enumerate(children)
    )
    return float((x0 * x1 + x2 * x3 - x4 * x5 + np.maximum(x6, x7) * 0.5 + x8 - x9).mean())


def simulations(rounds: int) -> dict[str, list[float]]:
    from licet.decisions.simulation.simulate import simulate

    found: dict[str, list[float]] = {SIMULATED: [], BARE_NUMPY: []}
    for seed in range(rounds + 1):
        told = {"variables": VARIABLES, "objective": OBJECTIVE, "n_simulations": DRAWS, "seed": seed}
        ours, run = timed(lambda told=told: simulate(told))
        bare, mean = timed(lambda seed=seed: bare_numpy(seed))
        if abs(run.leading.expected_value.value - mean) > 1e-9:
            raise SystemExit("the two simulations are not of the same draws")
        for case, took in ((SIMULATED, ours), (BARE_NUMPY, bare)) if seed else ():
            found[case].append(took)
    return found


def largest(rounds: int) -> dict[str, list[float]]:
    from licet.decisions.simulation.simulate import simulate

    law = {"kind": "normal", "parameters": {"mean": 0, "sd": 1}}
    told = {"variables": [{"name": "x", "distribution": law}], "objective": "x", "seed": 1}
    simulate({**told, "n_simulations": 100_000_000})
    return {LARGEST: [peak_mb()] * rounds, HALF_GIGABYTE: [512.0] * rounds}


def queries(rounds: int) -> dict[str, list[float]]:
    import duckdb

    from licet.decisions.data.data import Data
    from licet.decisions.data.declared import datasets
    from licet.decisions.data.locked import MEMORY_MB, THREADS

    found: dict[str, list[float]] = {QUERIED: [], BARE_DUCKDB: [], QUERY_PEAK: [], GIGABYTE: [1024.0] * rounds}
    columns = "range AS id, 'region ' || (range % 50) AS region, (range % 1000) * 0.25::DOUBLE AS price, range % 9 AS n"
    query = {"dataset_id": "orders", "metric": "price", "aggregation": "sum", "group_by": ["region"]}
    statement = "SELECT region, sum(price) FROM read_parquet('{}') GROUP BY region ORDER BY region"
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner() as runner:
        file = Path(folder) / "orders.parquet"
        with closing(duckdb.connect(config={"memory_limit": f"{MEMORY_MB}MB", "threads": THREADS})) as bare:
            bare.execute("SET preserve_insertion_order = false")
            bare.execute(f"COPY (SELECT {columns} FROM range({ROWS})) TO '{file}' (FORMAT parquet)")
            bare.execute("RESET preserve_insertion_order")
            with closing(Data(datasets({"orders": {"parquet": str(file)}}, Path(folder)))) as data:
                for round in range(rounds + 1):
                    ours, answer = timed(lambda: runner.run(data.query(Caller(), query)))
                    alone, rows = timed(lambda: bare.execute(statement.format(file)).fetchall())
                    if [tuple(row) for row in answer["rows"]] != rows:
                        raise SystemExit("the two queries do not answer alike")
                    for case, took in ((QUERIED, ours), (BARE_DUCKDB, alone)) if round else ():
                        found[case].append(took)
    found[QUERY_PEAK] = [peak_mb()] * rounds
    return found


def main(rounds: int, what: str) -> None:
    print(json.dumps({"simulate": simulations, "query": queries, "largest": largest}[what](rounds)))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
