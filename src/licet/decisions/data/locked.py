"""A DuckDB of this process alone, which reads the files that it was told of and changes nothing any more."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

MEMORY_MB = 512
"""Of all queries together."""

THREADS = 2


def locked(files: Iterable[Path], *, memory_mb: int = MEMORY_MB, threads: int = THREADS) -> "duckdb.DuckDBPyConnection":
    """A database in memory that opens only ``files``, writes nothing to disk, loads no extension and takes no setting.

    The temporary directory goes before the access to files does: after that DuckDB refuses to change it.
    """
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "memory_limit": f"{memory_mb}MB",
        "threads": threads,
    }
    connection = duckdb.connect(":memory:", config=config)
    connection.execute(f"SET allowed_paths = [{', '.join(literal(str(file)) for file in files)}]")
    connection.execute("SET temp_directory = ''")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def literal(text: str) -> str:
    """A text of the operator's, such as a path, where DuckDB takes no parameter."""
    return "'" + text.replace("'", "''") + "'"
