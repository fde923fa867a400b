"""An open project: its configuration and the models, store, targets, scorers and guard made from it."""

from __future__ import annotations

import os
import weakref
from collections.abc import Coroutine, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from proctor.config import Config, RunSettings, open_config
from proctor.core.sockets import Cache, Model, Target
from proctor.wiring.loop_pools import LoopPools
from proctor.wiring.models import ModelPool

if TYPE_CHECKING:
    from typing import Unpack

    from proctor.guard.sync_bridge import SyncBridge
    from proctor.models.wrap.stop_switch import StopSwitch
    from proctor.store.runs import RunStore
    from proctor.wiring.guard import Guard
    from proctor.workflows.evaluate import Cases, EvaluateOptions, Scorers, Targets
    from proctor.workflows.evaluation import Evaluation

__all__ = ["Project", "evaluate"]

Result = TypeVar("Result")


class Project:
    """An open project. Each part is created on first use and closed with the project.

    Use it as a context manager: ``with`` in plain code, ``async with`` in a coroutine. HTTP connections belong to the
    event loop that opened them. ``run_sync`` runs coroutines for plain code on one event loop in a background thread.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.http = LoopPools(proxy_for=lru_cache(maxsize=256)(config.environment.proxy_for))
        self._model_pools: list[ModelPool] = []
        self._opened = ExitStack()
        self._bridge: SyncBridge | None = None

    @classmethod
    def open(
        cls, source: str | os.PathLike[str] | Config | None = None, *, store: str | os.PathLike[str] | None = None
    ) -> Self:
        """Open the project of a proctor.yaml, of a folder that has one, or of the current or a parent folder.

        Without a proctor.yaml every setting has its default. The folder ``store`` replaces the configured store.

        Raises:
            InputError: the file is not there, or something in it is wrong.
        """
        config = source if isinstance(source, Config) else open_config(source)
        if store is not None:
            config = replace(config, settings=replace(config.settings, store=str(Path(store).absolute())))
        return cls(config)

    @cached_property
    def store(self) -> RunStore:
        """The store of runs and results. It belongs to the thread that used it first."""
        from proctor.store.runs import RunStore  # noqa: PLC0415 - most checks of a project need no database

        return self._opened.enter_context(RunStore(self.config.store))

    def model_pool(
        self,
        run: RunSettings | None = None,
        *,
        log: Cache | None = None,
        resumed: bool = False,
        cache: Cache | None = None,
        switch: StopSwitch | None = None,
    ) -> ModelPool:
        """Return a new set of models with its own limits, budget and meter; ``log`` keeps every reply.

        ``cache`` is the project's cache, if the run uses it; ``switch`` ends the asking at once.
        """
        settings = run or self.config.settings.run
        model_pool = ModelPool(
            config=self.config, run=settings, http=self.http, log=log, resumed=resumed, cache=cache, switch=switch
        )
        self._model_pools.append(model_pool)
        return model_pool

    def model(self, name: str | None = None, *, role: str = "target") -> Model:
        """Return the model of that name, or the default one, with retries, limits and the meter.

        Raises:
            ConfigError: there is no such model, or its settings are wrong.
        """
        return self._model_pool.get(name, role=role)

    def targets(self, names: Sequence[str] = (), models: Sequence[str] = ()) -> list[Target]:
        """Return the named targets, a prompt once per model; without names the project's default target.

        Raises:
            ConfigError: there is no such target, or its settings are wrong.
        """
        from proctor.wiring.targets import make_targets  # noqa: PLC0415

        return make_targets(names, models, config=self.config, model_pool=self._model_pool, http=self.http)

    @cached_property
    def guard(self) -> Guard:
        """The guard that `guard:` in proctor.yaml describes.

        Raises:
            InputError: a setting of the guard is wrong.
        """
        from proctor.wiring.guard import Guard  # noqa: PLC0415

        guard = Guard.from_config(self.config)
        self._opened.callback(guard.close)
        return guard

    async def evaluate(
        self,
        cases: Cases,
        target: Targets = None,
        scorers: Scorers = (),
        **options: Unpack[EvaluateOptions],
    ) -> Evaluation:
        """Run cases against a target, grade every answer, and keep the run in the project's store.

        See ``proctor.evaluate`` for the arguments; this is its async version.

        Raises:
            InputError: a case, the target, a scorer or a setting is wrong; nothing was run.
        """
        from proctor.workflows.evaluate import evaluate_cases  # noqa: PLC0415

        return await evaluate_cases(self.config, cases, target, scorers, options)

    def evaluation(self, run: str = "last") -> Evaluation:
        """Return an earlier run by its id, the beginning of its id, or ``last``.

        Raises:
            NotFoundError: there is no such run.
        """
        from proctor.store.runs import RunStore  # noqa: PLC0415
        from proctor.workflows.evaluation import Evaluation  # noqa: PLC0415

        with RunStore(self.config.store) as store:
            return Evaluation(self.config, store.find(run).id)

    def run_sync(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine from plain code and return its result; works in notebooks too.

        Raises:
            RuntimeError: it is called by a coroutine that ``run_sync`` runs itself.
        """
        if self._bridge is None:
            from proctor.guard.sync_bridge import SyncBridge  # noqa: PLC0415 - a run of the command line has its own loop

            self._bridge = SyncBridge()
        return self._bridge.run(work)

    def close(self) -> None:
        """Close everything the project opened."""
        if self._bridge is not None or self._model_pools:
            self.run_sync(self._close_models())
        if self._bridge is not None:
            self._bridge.close()
            self._bridge = None
        self.http.close()
        self._opened.close()

    async def aclose(self) -> None:
        """Close everything the project opened, including connections of the running event loop."""
        try:
            await self._close_models()
        finally:
            self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    @cached_property
    def _model_pool(self) -> ModelPool:
        return self.model_pool()

    async def _close_models(self) -> None:
        model_pools, self._model_pools = self._model_pools, []
        for model_pool in model_pools:
            await model_pool.close()
        await self.http.aclose()


def evaluate(
    cases: Cases,
    target: Targets = None,
    scorers: Scorers = (),
    *,
    project: Project | None = None,
    **options: Unpack[EvaluateOptions],
) -> Evaluation:
    """Run cases against a target, grade every answer, and return the results.

    ``cases`` are texts, mappings as in a suite file, Case objects, or the path or name of a suite. ``target`` is a
    function from text to text (plain or async), a Target, or a name as for `proctor run --target`; the default is the
    target of the suite or the project. ``scorers`` judge every case: names, mappings as in a suite file, or Scorer
    objects. The options are those of `proctor run`.

    The run is kept in the store of ``project``. Without a project, the proctor.yaml of the current folder is used if
    there is one, and the run is kept only as long as the returned object.

    Raises:
        InputError: a case, the target, a scorer or a setting is wrong; nothing was run.
    """
    if project is not None:
        return project.run_sync(project.evaluate(cases, target, scorers, **options))
    import shutil  # noqa: PLC0415 - only without a project
    import tempfile  # noqa: PLC0415

    folder = tempfile.mkdtemp(prefix="proctor-")
    try:
        with Project.open(store=folder) as own:
            made = own.run_sync(own.evaluate(cases, target, scorers, **options))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(made, shutil.rmtree, folder, ignore_errors=True)
    return made
