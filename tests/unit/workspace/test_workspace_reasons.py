"""Each error of the system has one reason, which code may rely on."""

import errno

import pytest

from licet.workspace.failure import failure

REASONS = {
    errno.ENOENT: "path_not_found",
    errno.EILSEQ: "path_not_found",
    errno.EINVAL: "path_not_found",
    errno.ENOTDIR: "not_a_directory",
    errno.EISDIR: "not_a_file",
    errno.ENXIO: "not_a_file",
    errno.ENODEV: "not_a_file",
    errno.EACCES: "permission_denied",
    errno.EPERM: "permission_denied",
    errno.EROFS: "permission_denied",
    errno.ETXTBSY: "permission_denied",
    errno.ENOSPC: "no_space",
    errno.EDQUOT: "no_space",
    errno.EEXIST: "path_unstable",
    errno.EAGAIN: "path_unstable",
    errno.EIO: "io_error",
    errno.EXDEV: "path_outside_root",
    errno.ELOOP: "path_outside_root",
}


@pytest.mark.parametrize(("number", "reason"), REASONS.items(), ids=lambda value: str(value))
def test_an_error_of_the_system_has_its_reason(number: int, reason: str) -> None:
    told = failure(OSError(number, "said"), "folder/file")
    assert told.reason == reason
    assert "folder/file" in str(told)


def test_an_error_without_a_number_is_one_of_input_and_output() -> None:
    assert failure(OSError("strange"), "file").reason == "io_error"
