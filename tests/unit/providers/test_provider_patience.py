"""How a provider's signals are read, and how often and how long it is asked again."""

from collections.abc import Callable
from typing import Any

import pytest

from licet.errors import ConfigurationError, ProviderError, ProviderSetupError
from licet.providers.failure import Failure, cut, of_status, unreachable
from licet.providers.key import Key, key_from, sdk
from licet.providers.patience import Patience

NOW_S = 1_700_000_000.0


# --- what a status says ---


@pytest.mark.parametrize(
    ("status", "reason", "again"),
    [
        (400, "bad_request", False),
        (401, "unauthorized", False),
        (403, "unauthorized", False),
        (404, "bad_request", False),
        (408, "unreachable", True),
        (409, "bad_request", True),
        (429, "rate_limited", True),
        (500, "overloaded", True),
        (503, "overloaded", True),
        (529, "overloaded", True),
    ],
)
def test_a_status_says_what_is_wrong_and_whether_to_ask_again(status: int, reason: str, again: bool) -> None:
    found = of_status(status)
    assert (found.reason, found.again) == (reason, again)


@pytest.mark.parametrize(
    ("headers", "after_s"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "7"}, 7.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:30 GMT"}, 10.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:00:00 GMT"}, 0.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "later"}, None),
        ({}, None),
    ],
)
def test_a_provider_says_when_to_ask_again(headers: dict[str, str], after_s: float | None) -> None:
    assert of_status(429, headers=headers, now_s=NOW_S).after_s == after_s


def test_a_provider_says_whether_to_ask_again() -> None:
    assert not of_status(429, headers={"x-should-retry": "false"}).again
    assert of_status(400, headers={"x-should-retry": "true"}).again
    assert of_status(429, headers={"x-should-retry": "perhaps"}).again
    assert not of_status(429, word="insufficient_quota").again


def test_an_error_in_the_middle_of_a_stream_is_read_by_its_word() -> None:
    assert of_status(200, word="overloaded_error") == of_status(529)
    assert of_status(200, word="rate_limit_error").reason == "rate_limited"
    broken = of_status(200, word="odd", said="it broke\x1b[31m\n")
    assert (broken.reason, broken.attempts) == ("cut", 3)
    assert "\x1b" not in broken.told


def test_a_redirect_is_not_followed_and_a_refused_key_repeats_nothing() -> None:
    assert "redirects" in of_status(307).told
    assert "sk-" not in of_status(401, said="Incorrect API key: sk-1234").told
    assert of_status(400, word="content_filter").reason == "refused"
    assert len(of_status(400, said="x" * 10_000).told) < 400


# --- patience ---


class Time:
    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def patience(self, **bounds: Any) -> Patience:
        return Patience(**{"now_s": lambda: self.now, "sleep": self.sleep, "chance": lambda: 0.0, **bounds})


def failing(*failures: Failure) -> tuple[Callable[[], Any], Callable[[Exception], Failure]]:
    """Fails so often, then gives its answer."""
    left = list(failures)
    now: list[Failure] = []

    async def once() -> str:
        if left:
            now[:] = [left.pop(0)]
            raise ConnectionError("sk-secret in the text of an SDK")
        return "answer"

    return once, lambda exc: now[0]


BUSY = Failure("rate_limited", "HTTP 429", again=True)


async def test_the_pauses_double_up_to_the_longest() -> None:
    time = Time()
    once, failure = failing(*[BUSY] * 7)
    assert await time.patience().ask("m", once, failure) == "answer"
    assert time.slept == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]


async def test_a_pause_is_at_most_a_quarter_shorter_by_chance() -> None:
    time = Time()
    once, failure = failing(BUSY)
    await time.patience(chance=lambda: 1.0).ask("m", once, failure)
    assert time.slept == [0.375]


@pytest.mark.parametrize("bounds", [{"attempts": 3}, {"attempts": 100, "total_s": 2.0}])
async def test_attempts_and_time_are_bounded(bounds: dict[str, Any]) -> None:
    time = Time()
    once, failure = failing(*[BUSY] * 100)
    with pytest.raises(ProviderError, match="the last of 3 attempts: HTTP 429") as raised:
        await time.patience(**bounds).ask("m", once, failure)
    assert raised.value.reason == "rate_limited"
    assert raised.value.__context__ is None, "the SDK's own exception holds its request"
    assert time.slept == [0.5, 1.0]


async def test_what_makes_no_sense_again_is_asked_once_and_a_cut_answer_three_times() -> None:
    for failed, attempts in ((Failure("bad_request", "no"), 0), (cut("broke"), 2), (unreachable("no"), 9)):
        time = Time()
        once, failure = failing(*[failed] * 100)
        with pytest.raises(ProviderError):
            await time.patience().ask("m", once, failure)
        assert len(time.slept) == attempts


async def test_an_error_of_our_own_passes() -> None:
    async def once() -> str:
        raise ConfigurationError("mine")

    with pytest.raises(ConfigurationError, match="mine"):
        await Time().patience().ask("m", once, lambda exc: BUSY)


# --- keys ---


def test_a_key_shows_itself_to_nobody() -> None:
    key = Key("sk-abcdef")
    assert "abcdef" not in f"{key!r}{key}"
    assert key.reveal() == "sk-abcdef"
    assert key.hidden_in("a sk-abcdef b") == "a *** b"
    import pickle

    with pytest.raises(TypeError, match="not copied"):
        pickle.dumps(key)


def test_a_key_comes_from_the_first_variable_that_holds_one() -> None:
    assert key_from({"A": " ", "B": "sk-b "}, "A", "B", extra="x").reveal() == "sk-b"
    with pytest.raises(ProviderSetupError, match="A or B is not set") as raised:
        key_from({}, "A", "B", extra="x")
    assert raised.value.reason == "missing_key"
    with pytest.raises(ProviderSetupError, match="A holds characters") as raised:
        key_from({"A": "sk-\x1b[31m"}, "A", extra="x")
    assert "sk-" not in str(raised.value)


def test_a_missing_package_names_its_extra() -> None:
    with pytest.raises(ProviderSetupError, match=r"pip install 'licet\[nowhere\]'") as raised:
        sdk("no_such_package_anywhere", extra="nowhere")
    assert raised.value.reason == "missing_extra"
    assert isinstance(raised.value, ConfigurationError)
    assert raised.value.__context__ is None
