"""How a ledger's file is opened for reading, and which keys are read at all."""

from contextlib import closing
from pathlib import Path

import pytest

from chained import A_STORY
from licet.errors import ConfigurationError
from licet.ledger import file, keys
from licet.ledger.sqlite import SqliteLedger


def test_a_reader_trusts_no_schema_and_writes_nothing(tmp_path: Path) -> None:
    with closing(SqliteLedger(tmp_path / "ledger.db")) as ledger:
        ledger.append(A_STORY[0], durable=False)
    with closing(file.open_reader(tmp_path / "ledger.db", file.connect, 1.0)) as reader:
        said = [
            reader.execute(f"PRAGMA {word}").fetchone()[0] for word in ("trusted_schema", "query_only", "busy_timeout")
        ]
    assert said == [0, 1, 1000]


@pytest.mark.parametrize("size", [keys.MAX_PEM_BYTES + 1, keys.MAX_PEM_BYTES])
def test_a_key_longer_than_any_is_not_parsed(size: int) -> None:
    asked = []
    with pytest.raises(ConfigurationError, match="longer than" if size > keys.MAX_PEM_BYTES else "in PEM"):
        keys._loaded(lambda: asked.append(1) or int("no key"), b"x" * size, "public")
    assert bool(asked) is (size == keys.MAX_PEM_BYTES)
