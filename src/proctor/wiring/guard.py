"""The guard of a project: gates from proctor.yaml with automatic reload, sessions, and recorded decisions."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from time import monotonic
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from proctor.config import Config, load_config, open_config
from proctor.core.errors import ConfigError
from proctor.core.verdict import Verdict
from proctor.guard.chain import Decision
from proctor.guard.deadline import Deadline
from proctor.guard.engine import Plan, Watch
from proctor.guard.isolated_gate import IsolatedGate
from proctor.guard.recorder import Recorder
from proctor.guard.session import Session
from proctor.guard.sessions import Sessions
from proctor.guard.step import Step
from proctor.guard.sync import SyncSession
from proctor.guard.vault import Vault
from proctor.wiring.escalation_settings import EscalateSettings
from proctor.wiring.guard_escalation import ClosableHook, escalation_hook
from proctor.wiring.guard_reload import FileStamp, ReloadError, check_replacement, settled_stamp, stamp_of, text_of
from proctor.wiring.guard_settings import make_plan, read_settings
from proctor.wiring.guard_warmup import WarmupState, open_models, warm_up
from proctor.wiring.loop_pools import LoopPools
from proctor.wiring.models import ModelPool

__all__ = ["Guard", "SyncGuard"]

_LOOK_EVERY: Final = 1.0  # seconds between two checks of the file's time
_RETRY_EVERY: Final = 5.0  # seconds before an invalid file is read again, even if unchanged
Result = TypeVar("Result")


class Guard:
    """Gates around a running agent: create one per program, and a session per conversation.

    ``from_config`` reads proctor.yaml, and reads it again when it changes. If the new file is invalid, the old settings
    stay in force; the error is in ``trouble`` and, with its time, in ``reload_error``, and ``troubled`` is called with
    it. ``sync`` is the same guard for code without an event loop.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        recorder: Recorder | None = None,
        deadline: Deadline | None = None,
        most: int = 10_000,
        idle: float = 3600.0,
    ) -> None:
        self.trouble: str | None = None
        self.reload_error: ReloadError | None = None
        self.troubled: Callable[[str], None] | None = None
        self._watch = Watch(plan, recorder=recorder)
        self._warmth = WarmupState(self._watch)
        self._deadline = deadline or Deadline()
        self._sessions = Sessions(self._watch, most=most, idle=idle)
        self._config: Config | None = None
        self._http = LoopPools()
        self._hook: ClosableHook | None = None
        self._escalate = EscalateSettings()
        self._model_pool: ModelPool | None = None
        self._seen: FileStamp | None = None
        self._text = ""
        self._looked = self._tried = 0.0
        self._reloading = threading.Lock()

    @classmethod
    def from_config(
        cls,
        source: str | os.PathLike[str] | Config | None = None,
        *,
        recorder: Recorder | None = None,
        record: bool = True,
        inline: bool = False,
        reload: bool = True,
    ) -> Self:
        """Return the guard set up by a proctor.yaml; without one, with the default gates.

        Decisions are written to ``recorder``, or to the project's store unless ``record`` is false. ``inline`` runs the
        gates on the caller's own event loop. With ``reload`` the file is read again when it changes.

        Raises:
            InputError: the file or a setting in it is wrong.
        """
        config = source if isinstance(source, Config) else open_config(source)
        settings = read_settings(config)
        deadline = Deadline(inline=inline, limits=settings.queue)
        http = LoopPools(proxy_for=config.environment.proxy_for)
        model_pool = ModelPool(config=config, run=config.settings.run, http=http)
        plan = make_plan(config, model_pool=model_pool, deadline=deadline)
        if recorder is None and record:
            recorder = _log(config)
        living = settings.sessions
        made = cls(plan, recorder=recorder, deadline=deadline, most=living.most, idle=living.idle)
        made._config, made._model_pool, made._http = config, model_pool, http
        made._set_hook(settings.escalate, made._made_hook(config, settings.escalate))
        made._seen, made._text = stamp_of(config), text_of(config)
        if reload and config.path is not None:
            made._watch.look = made._look
        open_models(plan)
        made._warmth.begin()
        return made

    @property
    def plan(self) -> Plan:
        """The settings in force."""
        return self._watch.plan

    @property
    def version(self) -> str:
        """The version of the settings in force."""
        return self._watch.plan.version

    @property
    def sync(self) -> SyncGuard:
        """The same guard for plain code: ``guard.sync.session().input(text)``."""
        return SyncGuard(self)

    @property
    def health(self) -> Mapping[str, Any]:
        """State for operators: blocked threads, unrecorded decisions, an invalid settings file.

        ``waiting`` counts the steps in progress, ``busy`` the steps rejected because there were too many.
        """
        return {
            "mode": self.plan.mode,
            "version": self.plan.version,
            "sessions": len(self._sessions),
            "stuck": self._deadline.stuck,
            "replaced": self._deadline.replaced,
            "waiting": self._deadline.waiting,
            "busy": self._deadline.busy,
            "unrecorded": self._watch.unrecorded,
            "trouble": self.trouble,
            "reload_error": None if self.reload_error is None else self.reload_error.data,
            "escalations": None if self._hook is None else self._hook.health,
        }

    def session(self, id: str | None = None, *, customer: str | None = None, vault: Vault | None = None) -> Session:
        """Return the session of this customer and name, or a new one.

        ``vault`` receives the values of the session's placeholders. The customer is part of the identity: the same name
        with another customer, or with none, is another session.
        """
        return self._sessions.open(id, customer=customer, vault=vault)

    def end(self, session: Session | str, *, customer: str | None = None) -> None:
        """Forget a session; given only a name, forget the sessions of all customers with that name."""
        if isinstance(session, str):
            self._sessions.forget(session, customer=customer)
        else:
            self._sessions.close(session)

    async def check(self, step: Step) -> Verdict:
        """Return the verdict on one step, outside any session."""
        return (await self._watch.decide(step)).verdict

    async def decide(self, step: Step) -> Decision:
        """Return the verdict on one step with the verdict of each gate."""
        return await self._watch.decide(step)

    async def warm(self) -> None:
        """Run every gate once on a plain message, unrecorded, so that the first customer does not wait."""
        plan = self.plan
        await warm_up(plan)
        self._warmth.done(plan)

    def run_sync(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine of this guard from plain code and return its result."""
        return self._watch.door.run(work)

    def reload(self) -> bool:
        """Read the settings again; return false and keep the old ones if they are invalid."""
        with self._reloading:
            return self._reload()

    def close(self) -> None:
        """Close threads and connections, and write decisions that are not recorded yet."""
        self._watch.look = None
        if self._hook is not None:
            self._hook.close()
        self._http.close()
        self._deadline.close()
        for gate in (post.gate for chain in self.plan.chains.values() for post in chain.posts):
            if isinstance(gate, IsolatedGate):
                gate.close()
        self._watch.door.close()
        if (closing := getattr(self._watch.recorder, "close", None)) is not None:
            closing()

    async def __aenter__(self) -> Self:
        await self.warm()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _look(self) -> None:
        """Check at most once a second whether the file changed; a thread reads it."""
        now = monotonic()
        if now - self._looked < _LOOK_EVERY:
            return
        self._looked = now
        if self._config is not None and self._is_due(self._config, now):
            try:
                threading.Thread(target=self._reload_unasked, name="proctor-guard-reload", daemon=True).start()
            except RuntimeError as error:  # no thread available: continue with the old settings
                self._failed(f"the settings changed and could not be read again: {error}")

    def _is_due(self, config: Config, now: float) -> bool:
        """Return whether to read the file: it changed, or the last read failed some time ago."""
        if stamp_of(config) != self._seen:
            return True
        return self.reload_error is not None and now - self._tried >= _RETRY_EVERY

    def _reload_unasked(self) -> None:
        if self._reloading.acquire(blocking=False):
            try:
                if self._config is not None and self._is_due(self._config, monotonic()):
                    settled_stamp(self._config)
                    self._reload()
            finally:
                self._reloading.release()

    def _reload(self) -> bool:
        if self._config is None or self._config.path is None:
            return False
        self._tried = monotonic()
        self._seen = stamp_of(self._config)
        try:
            text = text_of(self._config)
            config = load_config(self._config.path, self._config.environment, start=self._config.folder)
            model_pool = ModelPool(config=config, run=config.settings.run, http=self._http)
            plan = make_plan(config, model_pool=model_pool, deadline=self._deadline, strict=True)
            check_replacement(self._config, self.plan, config, plan, was=self._text, text=text)
            settings = read_settings(config)
            living = settings.sessions
            hook = self._made_hook(config, settings.escalate)
            open_models(plan)
            if stamp_of(config) != self._seen:
                hint = "it is read again in a moment"
                raise ConfigError("the file changed while it was read", file=str(config.path), hint=hint)
        except Exception as error:  # keep the old settings, whatever the error
            self._failed(str(error))
            return False
        self._config, self._model_pool, self._text = config, model_pool, text
        self.trouble = self.reload_error = None
        self._set_hook(settings.escalate, hook)
        self._sessions.most, self._sessions.idle = living.most, living.idle
        self._deadline.limits = settings.queue
        self._watch.plan = plan
        self._warmth.begin()
        self._watch.note("settings_read_again", version=plan.version)
        return True

    def _made_hook(self, config: Config, settings: EscalateSettings) -> ClosableHook | None:
        """Return the hook for the settings; the current one if they did not change."""
        if settings == self._escalate and self._config is not None:
            return self._hook
        on_record = self._watch.recorder is not None
        return escalation_hook(config, settings, note=self._watch.note, on_record=on_record)

    def _set_hook(self, settings: EscalateSettings, hook: ClosableHook | None) -> None:
        before, self._hook, self._escalate = self._hook, hook, settings
        self._watch.hook = hook
        if hasattr(recorder := self._watch.recorder, "queue_escalated"):
            setattr(recorder, "queue_escalated", settings.queue)  # noqa: B010 - third-party recorders have none
        if before is not None and before is not hook:  # closing delivers queued escalations, which may take seconds
            threading.Thread(target=before.close, name="proctor-escalations-close", daemon=True).start()

    def _failed(self, reason: str) -> None:
        """Keep the reason why a reload failed; report the same reason only once."""
        if self.reload_error is not None and self.reload_error.reason == reason:
            return
        self.trouble, self.reload_error = reason, ReloadError.now(reason)
        self._watch.note("settings_not_usable", error=reason, version=self.plan.version)
        if self.troubled is not None:
            self.troubled(reason)


@dataclass(frozen=True, slots=True)
class SyncGuard:
    """A guard for code without an event loop; thread-safe."""

    guard: Guard

    def session(self, id: str | None = None, *, customer: str | None = None, vault: Vault | None = None) -> SyncSession:
        """Return the session of this name, or a new one."""
        return SyncSession(self.guard.session(id, customer=customer, vault=vault), self.guard._watch.door)

    def check(self, step: Step) -> Verdict:
        """Return the verdict on one step, outside any session."""
        return self.guard.run_sync(self.guard.check(step))

    def warm(self) -> None:
        """Run every gate once, unrecorded."""
        self.guard.run_sync(self.guard.warm())

    def close(self) -> None:
        """Close threads and connections."""
        self.guard.close()


def _log(config: Config) -> Recorder:
    from proctor.store.guard_log import GuardLog  # noqa: PLC0415 - a guard that records nothing needs no store
    from proctor.wiring.guard_names import LogTagger  # noqa: PLC0415

    return GuardLog(config.store, tagger=LogTagger())
