"""How many roots each kind of path policy takes."""

import pytest

from licet.errors import ConfigurationError
from licet.model.paths import PathAccess, PathPolicy

ROOTS = tuple(f"/folder/{number}" for number in range(70))


@pytest.mark.parametrize(
    ("access", "least", "most"),
    [("none", 0, 0), ("current_project", 1, 1), ("allowed_roots", 1, 64), ("danger_full_access", 0, 0)],
)
def test_a_path_policy_takes_so_many_roots_and_no_other_number(access: PathAccess, least: int, most: int) -> None:
    for many in (least, most):
        assert PathPolicy(access, ROOTS[:many]).roots == ROOTS[:many]
    for many in (least - 1, most + 1):
        if many >= 0:
            with pytest.raises(ConfigurationError, match=f"{access} takes {least} to {most} roots, not {many}"):
                PathPolicy(access, ROOTS[:many])
