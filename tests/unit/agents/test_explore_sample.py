"""A sample stands for the rest: evenly spaced, of every group, and an estimate that says what it knows."""

from licet.agents.explore.sample import LEAST, estimated, shares, spread


def test_a_sample_is_evenly_spaced_and_never_larger_than_asked() -> None:
    assert spread(["a", "b"], 5) == ["a", "b"]
    assert spread([str(n) for n in range(10)], 5) == ["0", "2", "4", "6", "8"]
    assert spread([str(n) for n in range(7)], 3) == ["0", "2", "4"]
    assert spread(["a"], 0) == []


def test_every_group_has_its_share_and_a_small_one_is_taken_whole() -> None:
    assert shares({"many": 9_000, "few": 1_000}, 2_000) == {"many": 1_800, "few": 200}
    assert shares({"many": 100_000, "three": 3}, 1_000)["three"] == LEAST
    assert shares({}, 10) == {}


def test_an_estimate_goes_by_bytes_where_sizes_are_known_and_by_files_elsewhere() -> None:
    sizes = {"a": 100, "b": 300, "c": 200}
    counted = {"a": 10, "b": 30}
    assert estimated(["c"], sizes, counted, ["a", "b"]) == 20
    assert estimated(["unknown"], sizes, counted, ["a", "b"]) == 20
    assert estimated(["c", "unknown"], sizes, counted, ["a", "b"]) == 40
    assert estimated(["c"], sizes, {}, ["a", "b"]) == 0
    assert estimated([], sizes, counted, []) == 0
