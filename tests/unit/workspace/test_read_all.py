"""A file is read to its end, whatever it said of its size before."""

import os
from pathlib import Path

import pytest

from licet.errors import ToolFailedError
from licet.workspace.content import read_all


@pytest.mark.parametrize("said", [0, 1, 9, 10, 11, 100])
def test_a_file_is_read_to_its_end_whatever_size_it_told(tmp_path: Path, said: int) -> None:
    (tmp_path / "file").write_bytes(b"0123456789")
    handle = os.open(tmp_path / "file", os.O_RDONLY)
    try:
        assert read_all(handle, said, 100, "file") == b"0123456789"
    finally:
        os.close(handle)


@pytest.mark.parametrize(("said", "limit", "fits"), [(10, 10, True), (10, 9, False), (0, 9, False), (3, 9, False)])
def test_a_file_beyond_the_limit_is_too_large_whatever_size_it_told(
    tmp_path: Path, said: int, limit: int, fits: bool
) -> None:
    (tmp_path / "file").write_bytes(b"0123456789")
    handle = os.open(tmp_path / "file", os.O_RDONLY)
    try:
        if fits:
            assert read_all(handle, said, limit, "file") == b"0123456789"
        else:
            with pytest.raises(ToolFailedError) as failed:
                read_all(handle, said, limit, "file")
            assert failed.value.reason == "too_large"
    finally:
        os.close(handle)
