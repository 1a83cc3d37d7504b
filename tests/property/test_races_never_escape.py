"""The campaign of racing renames and links in small: each scene on both ways of opening, and the naive way that loses.

``scripts/campaign paths`` runs a million of these.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from campaign.paths import Size, control, race
from campaign.paths.world import SCENES, Scene
from campaign.scratch import scratch

SMALL = Size(opens=600 * len(SCENES), writes=120 * len(SCENES), seconds=20.0, timed=0)

EACH_SCENE = pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.attack)


@pytest.fixture
def world() -> Iterator[Path]:
    with scratch() as folder:
        yield Path(folder)


@EACH_SCENE
@pytest.mark.parametrize("way", ["openat2", "walk"])
def test_a_raced_operation_is_done_inside_or_not_at_all(world: Path, scene: Scene, way: str) -> None:
    raced = race(scene, world, way, 1, SMALL)
    assert raced.findings == []
    assert raced.opens.keys() | raced.writes.keys() == {"done", "refused"}


@EACH_SCENE
def test_the_same_race_catches_a_check_before_an_open(world: Path, scene: Scene) -> None:
    """The control."""
    assert control(scene, world, 1)
