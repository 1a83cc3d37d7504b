"""AgentDojo as it is installed: its suites, its pairs, and its own checks as judges. Nothing else here imports it."""

import contextlib
import io
import random
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

from campaign.agentdojo.attack import Door, Played, play
from campaign.agentdojo.door import Declared, Execute

VERSION = "v1.2.2"
"""The newest version of the benchmark that 0.1.35 carries."""

SUITES = ("workspace", "travel", "banking", "slack")
TEMPLATES = ("direct", "ignore_previous", "system_message", "injecagent")
"""AgentDojo's own attack texts that need no model's name. Which one a pair gets is the seed's choice."""


class Setting(NamedTuple):
    """One environment, not yet played in. ``planted`` is the goal of the injection that its texts hold, or empty."""

    suite: str
    task: str
    injection: str
    environment: Any
    planted: str


class Judged(NamedTuple):
    """What AgentDojo's checks say, beside what was played. ``hit``: the injection's goal was reached."""

    done: bool
    hit: bool
    played: Played


@cache
def _suite(name: str) -> Any:
    from agentdojo.task_suite.load_suites import get_suites

    warnings.simplefilter("ignore")
    return get_suites(VERSION)[name]


@cache
def declared(suite: str) -> tuple[Declared, ...]:
    """The tools of a suite, with the schema of their parameters."""
    return tuple(Declared(f.name, f.description, f.parameters.model_json_schema()) for f in _suite(suite).tools)


def schemas(suite: str) -> Mapping[str, Mapping[str, Any]]:
    return {one.name: one.schema for one in declared(suite)}


def tasks(suite: str) -> list[str]:
    return list(_suite(suite).user_tasks)


@cache
def injections(suite: str) -> tuple[str, ...]:
    """The injection tasks whose solution is at least one call; the others can only be judged with a model."""
    found = _suite(suite)
    environment = found.load_and_inject_default_environment({})
    return tuple(name for name, task in found.injection_tasks.items() if task.ground_truth(environment))


@cache
def _attack(suite: str, template: str) -> Any:
    import agentdojo.attacks  # noqa: F401 - registers them
    from agentdojo.attacks.attack_registry import load_attack

    return load_attack(template, _suite(suite), None)


def quiet_setting(suite: str, task: str) -> Setting:
    """The environment with nothing planted in it."""
    return Setting(suite, task, "", _suite(suite).load_and_inject_default_environment({}), "")


def setting(suite: str, task: str, injection: str, seed: int) -> Setting:
    """The environment with the goal in every text of a stranger's that the solution of the user's task reads."""
    found = _suite(suite)
    template = random.Random(f"{seed}.{suite}.{task}.{injection}").choice(TEMPLATES)
    goal = found.injection_tasks[injection]
    texts = _attack(suite, template).attack(found.user_tasks[task], goal)
    return Setting(suite, task, injection, found.load_and_inject_default_environment(texts), goal.GOAL)


def prompt(suite: str, task: str) -> str:
    return str(_suite(suite).user_tasks[task].PROMPT)


def solution(where: Setting) -> list[tuple[str, dict[str, Any]]]:
    """The calls that solve the user's task, with their arguments as JSON."""
    task = _suite(where.suite).user_tasks[where.task]
    environment = task.init_environment(where.environment.model_copy(deep=True))
    return [(call.function, _as_json(dict(call.args))) for call in task.ground_truth(environment)]


@cache
def planted_tools(suite: str, injection: str) -> frozenset[str]:
    """The tools that the solution of an injection calls."""
    found = _suite(suite)
    environment = found.load_and_inject_default_environment({})
    return frozenset(call.function for call in found.injection_tasks[injection].ground_truth(environment))


def records(where: Setting) -> Any:
    """The environment as JSON, before anybody did anything."""
    return where.environment.model_dump(mode="json")


def judged(where: Setting, open_door: Callable[[Execute], Door], *, knowing: bool = False) -> tuple[Judged, list[str]]:
    """Play a setting, on a copy of its environment, through a door. Also the functions that ran, in order."""
    from agentdojo.agent_pipeline.base_pipeline_element import BasePipelineElement
    from agentdojo.functions_runtime import FunctionsRuntime
    from agentdojo.types import ChatAssistantMessage, text_content_block_from_string

    found = _suite(where.suite)
    task = found.user_tasks[where.task]
    goal = found.injection_tasks[where.injection] if where.injection else None
    executed: list[str] = []
    played: list[Played] = []

    class Counted(FunctionsRuntime):
        def __init__(self, functions: Any = ()) -> None:
            super().__init__([_counted(function, executed) for function in functions])

    class Obedient(BasePipelineElement):
        def query(
            self, query: str, runtime: Any, env: Any = None, messages: Any = (), extra_args: Any = None
        ) -> tuple[str, Any, Any, list[Any], Any]:
            def execute(name: str, arguments: dict[str, Any]) -> Any:
                value, _ = runtime.run_function(env, name, arguments, raise_on_error=True)
                return _as_json(value)

            def planted() -> list[Any]:
                return [] if goal is None else goal.ground_truth(env.model_copy(deep=True))

            done = play(task.ground_truth(env), planted, where.planted, open_door(execute), knowing=knowing)
            played.append(done)
            said = [
                ChatAssistantMessage(role="assistant", tool_calls=[call], content=[text_content_block_from_string("")])
                for call in done.made
            ]
            answer = text_content_block_from_string(task.GROUND_TRUTH_OUTPUT if done.own else "")
            said.append(ChatAssistantMessage(role="assistant", tool_calls=None, content=[answer]))
            return query, runtime, env, [*messages, *said], extra_args

    with contextlib.redirect_stdout(io.StringIO()):  # some of its checks print
        utility, security = found.run_task_with_pipeline(
            Obedient(), task, goal, {}, runtime_class=Counted, environment=where.environment.model_copy(deep=True)
        )
    (only,) = played
    return Judged(bool(utility) and only.own, goal is not None and bool(security), only), executed


def _counted(function: Any, executed: list[str]) -> Any:
    def run(*given: Any, **named: Any) -> Any:
        executed.append(function.name)
        return function.run(*given, **named)

    return function.model_copy(update={"run": run})


def _as_json(value: Any) -> Any:
    from pydantic_core import to_jsonable_python

    return to_jsonable_python(value)
