"""What a model is asked for, by a seed: a few ways to say each thing, with other names and numbers each time."""

import random
from collections.abc import Iterator
from typing import Any

from licet.model.call import Request
from licet.ports import Message

_SAID = {
    "create_ticket": (
        "The {thing} is broken since {day}. Please open a ticket with {priority} priority.",
        "Report that the {thing} is too slow, and give it to {person}.",
    ),
    "resize_image": (
        "Make the picture {number} wide and {other} high.",
        "Crop the picture at {number}, {other} and make it {other} by {other}.",
    ),
    "send_message": (
        "Tell {person} that the {thing} is ready.",
        "Write to the general channel that the {thing} is down until {day}.",
    ),
    "search_books": (
        "Find at most {small} books about {topic} by {person}.",
        "Search for {topic} after the year {year}.",
    ),
    "set_schedule": (
        "Heat from {hour} to {later} on {day} and Sunday.",
        "The heating should be on every day from {hour} o'clock to {later}.",
    ),
    "plan_menu": (
        "Put together a menu with starters, {topic} and desserts, each with two dishes.",
        "Make a menu called {topic}.",
    ),
    "convert_money": (
        "How much are {number} euros in yen?",
        "Convert {number}.{small} dollars into euros, in steps of {small}.",
    ),
    "tag_file": (
        "Tag notes/{topic}.txt with {topic} and {thing}.",
        "Mark the file {thing}.md as public.",
    ),
}
_WORDS = {
    "thing": ("printer", "login page", "invoice export", "search", "coffee machine"),
    "day": ("Monday", "Tuesday", "Friday"),
    "priority": ("low", "normal", "high"),
    "person": ("Ada", "Grace", "Linus", "Margaret", "Noor"),
    "topic": ("gardening", "soup", "astronomy", "trains"),
}

_EXAMPLES: dict[str, tuple[str, dict[str, Any]]] = {
    "create_ticket": ("The door is stuck.", {"title": "The door is stuck", "priority": "low", "labels": ["bug"]}),
    "resize_image": ("Make the picture 640 wide and 480 high.", {"width": 640, "height": 480, "mode": "fit"}),
    "send_message": (
        "Tell Kim that lunch is ready.",
        {"to": {"kind": "person", "person": "Kim"}, "body": "Lunch is ready."},
    ),
    "search_books": (
        "Find three books about bees by Kim.",
        {"query": "bees", "filters": [{"field": "author", "op": "=", "value": "Kim"}], "limit": 3},
    ),
    "set_schedule": (
        "Heat from six to half past nine on Thursday.",
        {"start": {"hour": 6, "minute": 0}, "end": {"hour": 9, "minute": 30}, "days": ["thu"]},
    ),
    "plan_menu": ("Make a menu with two cakes.", {"root": {"name": "cakes", "children": [{"name": "nut"}]}}),
    "convert_money": ("How much are 20 dollars in yen?", {"amount": 20, "source": "USD", "target": "JPY"}),
    "tag_file": ("Tag a.txt with bees, weight 3.", {"path": "a.txt", "tags": {"bees": 3}}),
}
EXAMPLES_PER_TASK = 2


def examples(rng: random.Random) -> list[Message]:
    """How a call looks, twice, for a model that nothing forces to write one."""
    shown: list[Message] = []
    for name in rng.sample(list(_EXAMPLES), EXAMPLES_PER_TASK):
        task, arguments = _EXAMPLES[name]
        shown += (Message("user", task), Message("assistant", calls=(Request(f"local/{name}", arguments),)))
        shown.append(Message("user", "It is done."))
    return shown


def tasks(seed: int) -> Iterator[str]:
    """Tasks without an end; the same for the same seed."""
    rng = random.Random(seed)
    while True:
        ways = rng.choice(list(_SAID.values()))
        yield rng.choice(ways).format(
            number=rng.randint(2, 3000),
            other=rng.randint(2, 3000),
            small=rng.randint(1, 60),
            year=rng.randint(1900, 2025),
            hour=rng.randint(0, 11),
            later=rng.randint(12, 23),
            **{word: rng.choice(choices) for word, choices in _WORDS.items()},
        )


__all__ = ["examples", "tasks"]
