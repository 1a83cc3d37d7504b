"""A file that is no dataset is named, and leaves the engine and the other datasets up."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from licet.decisions.data.locked import locked
from licet.decisions.error import DecisionError
from orders import ANALYST, shop, written

NO_CSV: list[tuple[bytes, str]] = [
    (b"", "not_csv"),
    (b"\n\n", "not_csv"),
    (b"\x00\x01\x02\xff" * 1_000, "not_csv"),
    (b"PK\x03\x04" + bytes(range(256)) * 8, "not_csv"),
    (b"a,b\n1,2\n3\n4,5,6\n", "not_csv"),
    (b"a,b\n" + b"1,2\n" * 900 + b"3\n", "not_csv"),
    (b"a,a\n1,2\n", "not_csv"),
    (b"a,,c\n1,2,3\n", "not_csv"),
    (b'a,b\n"1,2\n', "not_csv"),
    (b"a\n" + b"x" * 2_000_000, "not_csv"),
    (b"a\nx\n" + "é\n".encode("latin-1"), "not_csv"),
    (b"a\x1b[2J,b\n1,2\n", "not_csv"),
    (b"a\n" + b"1\n" * 1_001, "too_many_rows"),
]


@pytest.mark.parametrize(("content", "code"), NO_CSV)
async def test_a_csv_that_is_none_is_named_and_the_others_work(tmp_path: Path, content: bytes, code: str) -> None:
    (tmp_path / "bad.csv").write_bytes(content)
    told = {"bad": {"csv": "bad.csv", "row_limit": 1_000}, "orders": written(tmp_path, "csv")}
    await one_is_unusable(tmp_path, told, code)


async def one_is_unusable(folder: Path, told: dict[str, Any], code: str) -> None:
    with shop(folder, told) as data:
        assert list(data.problems) == ["bad"]
        with pytest.raises(DecisionError) as caught:
            await data.query(ANALYST, {"dataset_id": "bad", "aggregation": "count"})
        error = caught.value.told()["error"]
        assert (error["code"], error["status"], error["problem"]) == ("dataset_unavailable", 503, code)
        assert str(folder) not in str(error)
        described = {one["dataset_id"]: one for one in data.describe(ANALYST)["datasets"]}
        assert described["bad"] == {"available": False, "dataset_id": "bad", "problem": code}
        assert str(folder) not in str(described)
        told_rows = await data.query(ANALYST, {"dataset_id": "orders", "aggregation": "count"})
        assert told_rows["rows"] == [[5]]


NO_PARQUET = (b"", b"PAR1", b"PAR1" + b"\xff" * 5_000 + b"PAR1", b"a,b\n1,2\n", bytes(range(256)) * 40)


@pytest.mark.parametrize("content", NO_PARQUET)
async def test_a_parquet_that_is_none_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.parquet").write_bytes(content)
    await one_is_unusable(
        tmp_path, {"bad": {"parquet": "bad.parquet"}, "orders": written(tmp_path, "csv")}, "not_parquet"
    )


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0" + b"\xff" * 4_000, b"a,b\n1,2\n" * 500])
async def test_a_database_that_is_none_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.db").write_bytes(content)
    told = {"bad": {"sqlite": "bad.db", "table": "t"}, "orders": written(tmp_path, "csv")}
    await one_is_unusable(tmp_path, told, "not_sqlite" if content else "no_table")


async def test_a_file_that_is_not_there_or_not_regular_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    orders = written(tmp_path, "csv")
    for name in ("never.csv", "pipe", ".", "*.csv"):
        await one_is_unusable(tmp_path, {"bad": {"csv": name}, "orders": orders}, "no_file")
        await one_is_unusable(tmp_path, {"bad": {"parquet": name}, "orders": orders}, "no_file")


async def test_a_declared_column_or_metric_without_its_column_is_named(tmp_path: Path) -> None:
    orders = written(tmp_path, "csv")
    for wrong in (
        {"columns": {"never": None}},
        {"metrics": {"m": {"expression": "region * 2"}}},
        {"columns": {"price": None}, "metrics": {"m": {"expression": "units"}}},
    ):
        await one_is_unusable(tmp_path, {"bad": {**orders, **wrong}, "orders": orders}, "no_column")


async def test_a_parquet_bomb_runs_out_of_memory_by_name_and_the_engine_stays_up(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.parquet"
    with closing(duckdb.connect()) as made:
        rows = "SELECT repeat('x', 4000000) || range AS s FROM range(60)"
        made.execute(f"COPY ({rows}) TO '{bomb}' (FORMAT parquet, COMPRESSION zstd)")
    assert bomb.stat().st_size < 100_000
    told = {"bomb": {"parquet": "bomb.parquet"}, "orders": written(tmp_path, "csv")}
    with shop(tmp_path, told, memory_mb=96) as data:
        with pytest.raises(DecisionError) as caught:
            await data.query(ANALYST, {"dataset_id": "bomb", "aggregation": "count", "group_by": ["s"]})
        assert (caught.value.reason, caught.value.status) == ("query_out_of_memory", 503)
        assert (await data.query(ANALYST, {"dataset_id": "orders", "aggregation": "count"}))["rows"] == [[5]]


async def test_a_parquet_with_more_rows_than_the_limit_is_not_opened(tmp_path: Path) -> None:
    with closing(duckdb.connect()) as made:
        made.execute(f"COPY (SELECT 1 AS a FROM range(2000000)) TO '{tmp_path / 'many.parquet'}' (FORMAT parquet)")
    told = {"bad": {"parquet": "many.parquet", "row_limit": 1_000_000}, "orders": written(tmp_path, "csv")}
    await one_is_unusable(tmp_path, told, "too_many_rows")


async def test_a_database_is_read_without_being_written(tmp_path: Path) -> None:
    told = {"orders": written(tmp_path, "sqlite")}
    before = (tmp_path / "orders.db").read_bytes()
    with shop(tmp_path, told) as data:
        assert data.problems == {}
    assert (tmp_path / "orders.db").read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["orders.csv", "orders.db"]


async def test_values_of_several_types_in_one_column_become_text_and_blobs_are_left_out(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "odd.db")) as base, base:
        base.execute('CREATE TABLE "odd "" table" (mixed, "a "" b" REAL, raw, empty, day DATE)')
        base.executemany(
            'INSERT INTO "odd "" table" VALUES (?, ?, ?, NULL, ?)',
            [(1, 2, b"x", "2026-01-01"), ("z", 0.5, b"", "soon")],
        )
    with shop(tmp_path, {"odd": {"sqlite": "odd.db", "table": 'odd " table'}}) as data:
        kinds = {one["name"]: one["kind"] for one in data.describe(ANALYST)["datasets"][0]["columns"]}
        assert kinds == {"mixed": "text", 'a " b': "number", "empty": "text", "day": "text"}
        told = await data.query(ANALYST, {"dataset_id": "odd", "aggregation": "sum", "metric": 'a " b'})
        assert told["rows"] == [[2.5]]


async def test_a_view_and_a_virtual_table_are_no_table(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "bad.db")) as base, base:
        base.execute("CREATE VIEW v AS SELECT 1 AS a")
        base.execute("CREATE VIRTUAL TABLE f USING fts5(a)")
    for table in ("v", "f", "sqlite_master", "never"):
        told = {"bad": {"sqlite": "bad.db", "table": table}, "orders": written(tmp_path, "csv")}
        await one_is_unusable(tmp_path, told, "no_table")


async def test_a_database_in_wal_mode_is_read(tmp_path: Path) -> None:
    told = {"orders": written(tmp_path, "sqlite")}
    with closing(sqlite3.connect(tmp_path / "orders.db")) as base:
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("UPDATE orders SET units = 100 WHERE id = 1")
        base.commit()
        with shop(tmp_path, told) as data:
            answer = await data.query(ANALYST, {"dataset_id": "orders", "aggregation": "max", "metric": "units"})
    assert answer["rows"] == [[100]]
    before = (tmp_path / "orders.db").read_bytes()
    with shop(tmp_path, told) as data:
        assert data.problems == {}
    assert (tmp_path / "orders.db").read_bytes() == before


# --- the lock ---

ESCAPES = (
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('{other}')",
    "SELECT * FROM glob('/etc/*')",
    "COPY (SELECT 1) TO '{other}'",
    "ATTACH '{other}' AS o",
    "INSTALL httpfs",
    "LOAD httpfs",
    "EXPORT DATABASE '{folder}'",
    "SET enable_external_access = true",
    "SET allowed_paths = ['/etc/passwd']",
    "SET memory_limit = '9GB'",
    "SET temp_directory = '{folder}'",
    "RESET memory_limit",
    "PRAGMA enable_external_access",
)


@pytest.mark.parametrize("text", ESCAPES)
def test_the_locked_database_reaches_no_other_file_and_takes_no_setting(tmp_path: Path, text: str) -> None:
    other = tmp_path / "other.csv"
    other.write_text("a\n1\n")
    written(tmp_path, "csv")
    with closing(locked([tmp_path / "orders.csv"])) as database:
        with pytest.raises(duckdb.Error):
            database.execute(text.format(other=other, folder=tmp_path))
        found = database.execute(f"SELECT count(*) FROM read_csv('{tmp_path / 'orders.csv'}')").fetchone()
        assert found == (5,)
    assert other.read_text() == "a\n1\n"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["orders.csv", "other.csv"]


def test_a_path_with_a_quote_is_a_path(tmp_path: Path) -> None:
    folder = tmp_path / "a'b; DROP"
    folder.mkdir()
    with shop(folder) as data:
        assert data.problems == {}
