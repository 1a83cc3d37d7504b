"""The handler ``worker``: it works on the scenario's task, turn after turn, and says what came of it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...intrinsics.rules import OVER
from ...model.event import Event
from ...ports import Clock, Model
from ...project.manifest import WORKER, Manifest
from ...runtime.clock import SystemClock
from ..cast.models import model_named
from ..cast.scene import Scene
from ..scenario.metered import Metered
from ..workflow import Driver
from .place import Place
from .subtask import scope_of
from .worker import Worker

if TYPE_CHECKING:
    from ..cast.agent import ManifestAgent


class Work:
    """Works on the task of a run as far as it goes. While somebody has to answer, a turn of it comes to nothing.

    ``manifest`` finds the agents of sub-tasks by name, as they are now; ``model`` makes their models.
    """

    def __init__(
        self,
        manifest: Callable[[str], Manifest],
        *,
        model: Callable[[Manifest], Model] = model_named,
        clock: Clock | None = None,
    ) -> None:
        self._manifest = manifest
        self._model = model
        self._clock = clock or SystemClock()

    async def __call__(self, agent: "ManifestAgent", scene: Scene, /) -> list[Event]:
        """One event of the first kind that the manifest lists, once the task is over.

        Raises:
            ConfigurationError: there is no task: the manifest was granted no intrinsic, or another agent works on it.
            ReplayError: the entries of a sub-task do not lead where they say.
            LedgerUnavailableError: no ledger, no work.
        """
        manifest, driver = agent.manifest, agent.drive
        if not isinstance(driver, Driver):
            raise manifest.wrong(("handler",), "it works on no task; grant it intrinsics, as the first of its cast")
        if driver.state.tasks[0].standing in OVER:
            return []
        place = Place(
            registry=agent.registry,
            manifest=self._manifest,
            model=self._beside(agent.model),
            handlers=agent.handlers,
            clock=self._clock,
        )
        scope = agent.scope or scope_of(agent.run, manifest)
        preface = (await agent.prompt(scene)).strip()
        worker = Worker(place, agent.run, agent.model, scope, driver, scene, preface)
        text = await worker.work()
        if text is None or not manifest.may_emit:
            return []
        return [Event(manifest.may_emit[0], {"standing": "failed" if worker.failed else "done", "text": text})]

    def _beside(self, model: Model) -> Callable[[Manifest], Model]:
        """Models of sub-tasks, whose tokens are the scenario's as well."""
        if not isinstance(model, Metered):
            return self._model
        return lambda manifest: model.beside(self._model(manifest))


__all__ = ["WORKER", "Work"]
