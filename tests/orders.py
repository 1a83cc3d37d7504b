"""A small shop, as files of each kind, and who asks about it."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from licet.decisions.data.data import Data
from licet.decisions.data.declared import datasets

CSV = """id,region,customer,price,units,cost,day,moment,paid,note
1,north,ann,10.50,2,11,2026-01-01,2026-01-01T10:00:00,true,first
2,north,bob,4.00,1,1,2026-01-02,2026-01-02T10:00:00,false,
3,south,ann,2.25,4,3,2026-02-01,2026-02-01T10:00:00,true,a'b
4,south,cid,8.00,1,9,2026-02-02,2026-02-02T10:00:00,true,"x, y"
5,west,bob,1.00,10,2,2026-03-01,2026-03-01T10:00:00,false,%
"""


class Caller(NamedTuple):
    tenant: str = "ours"
    role: str = "analyst"


ANALYST, CLERK = Caller(), Caller(role="clerk")
COLUMNS: dict[str, Any] = {
    "region": None,
    "customer": {"roles": ["analyst"], "mask": "pseudonym"},
    "note": {"roles": ["analyst"], "mask": "redact"},
    "price": {"unit": "EUR"},
    "units": None,
    "cost": {"unit": "EUR", "roles": ["analyst"]},
    "day": None,
    "moment": None,
    "paid": None,
}
METRICS: dict[str, Any] = {
    "gross": {"expression": "price * units", "unit": "EUR", "aliases": ["revenue"]},
    "net": {"expression": "price * units - cost", "unit": "EUR", "aliases": ["revenue", "margin"]},
    "price_each": {"expression": "price", "unit": "EUR", "aggregations": ["avg", "min", "max"]},
}


def written(folder: Path, kind: str) -> dict[str, Any]:
    """The file of the shop, and how it is declared."""
    source = folder / "orders.csv"
    source.write_text(CSV)
    if kind == "csv":
        return {"csv": "orders.csv"}
    if kind == "parquet":
        with closing(duckdb.connect()) as made:
            made.execute(f"COPY (FROM '{source}') TO '{folder / 'orders.parquet'}' (FORMAT parquet)")
        return {"parquet": "orders.parquet"}
    with closing(duckdb.connect()) as made:
        rows = made.execute(
            f"SELECT * REPLACE (day::VARCHAR AS day, moment::VARCHAR AS moment) FROM '{source}'"
        ).fetchall()
    with closing(sqlite3.connect(folder / "orders.db")) as base, base:
        base.execute(
            "CREATE TABLE orders (id INTEGER, region TEXT, customer TEXT, price REAL, units INTEGER, cost INTEGER, "
            "day DATE, moment TIMESTAMP, paid INTEGER, note TEXT)"
        )
        base.executemany("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    return {"sqlite": "orders.db", "table": "orders"}


@contextmanager
def shop(folder: Path, told: Mapping[str, Any] | None = None, **limits: Any) -> Iterator[Data]:
    """The connected shop; ``told`` are other datasets in its place."""
    if told is None:
        told = {"orders": {**written(folder, "csv"), "columns": COLUMNS, "metrics": METRICS}}
    with closing(Data(datasets(told, folder), **limits)) as data:
        yield data
