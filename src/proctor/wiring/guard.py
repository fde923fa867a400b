"""The guard of a project: chains by its proctor.yaml, read again when that changes; sessions; decisions on record."""

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
from proctor.wiring.guard_warmup import Warmth, open_models, warm_up
from proctor.wiring.loop_pools import LoopPools
from proctor.wiring.models import Rack

__all__ = ["Guard", "SyncGuard"]

_LOOK_EVERY: Final = 1.0  # seconds between two looks at the file
_RETRY_EVERY: Final = 5.0  # seconds after which a file that could not be used is read again, changed or not
Result = TypeVar("Result")


class Guard:
    """Gates around a running agent: make one for a program, and a session for each conversation.

    ``from_config`` reads proctor.yaml, and again when it changes; a file that cannot be used leaves the settings that
    were in force and is named in ``trouble`` and, with the time, in ``reload_error``; ``troubled`` is called with it.
    ``sync`` is the same for code without an event loop.
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
        self._warmth = Warmth(self._watch)
        self._deadline = deadline or Deadline()
        self._sessions = Sessions(self._watch, most=most, idle=idle)
        self._config: Config | None = None
        self._http = LoopPools()
        self._hook: ClosableHook | None = None
        self._escalate = EscalateSettings()
        self._rack: Rack | None = None
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
        """Return the guard that a proctor.yaml asks for; without one, with the default gates.

        Decisions go to ``recorder``, or else into the project's store unless ``record`` is false. ``inline`` asks the
        gates on the caller's own event loop. With ``reload`` the file is read again when it changes.

        Raises:
            InputError: the file or a setting in it is wrong.
        """
        config = source if isinstance(source, Config) else open_config(source)
        settings = read_settings(config)
        deadline = Deadline(inline=inline, limits=settings.queue)
        http = LoopPools(proxy_for=config.environment.proxy_for)
        rack = Rack(config=config, run=config.settings.run, http=http)
        plan = make_plan(config, rack=rack, deadline=deadline)
        if recorder is None and record:
            recorder = _log(config)
        living = settings.sessions
        made = cls(plan, recorder=recorder, deadline=deadline, most=living.most, idle=living.idle)
        made._config, made._rack, made._http = config, rack, http
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
        """The name of the settings in force."""
        return self._watch.plan.version

    @property
    def sync(self) -> SyncGuard:
        """The same guard for plain code: ``guard.sync.session().input(text)``."""
        return SyncGuard(self)

    @property
    def health(self) -> Mapping[str, Any]:
        """What somebody on duty should know: threads held up, decisions not recorded, a file that cannot be used.

        ``waiting`` is how many steps are not answered yet, ``busy`` how many were refused because of too many.
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

        The vault is filled with what the session's placeholders stand for. The customer is part of the identity: the
        same name with another customer, or with none, is another session.
        """
        return self._sessions.open(id, customer=customer, vault=vault)

    def end(self, session: Session | str, *, customer: str | None = None) -> None:
        """Forget a session; of a name alone, the sessions of all customers who use it."""
        if isinstance(session, str):
            self._sessions.forget(session, customer=customer)
        else:
            self._sessions.close(session)

    async def check(self, step: Step) -> Verdict:
        """Return what is decided about one step, outside any session."""
        return (await self._watch.decide(step)).verdict

    async def decide(self, step: Step) -> Decision:
        """Return the same with what each gate had said."""
        return await self._watch.decide(step)

    async def warm(self) -> None:
        """Ask every gate once about a plain message, off the record, so that the first customer need not wait."""
        plan = self.plan
        await warm_up(plan)
        self._warmth.done(plan)

    def run_sync(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Return the result of anything async of this guard, for plain code."""
        return self._watch.door.run(work)

    def reload(self) -> bool:
        """Read the settings again; false, with the old ones in force, when they cannot be used."""
        with self._reloading:
            return self._reload()

    def close(self) -> None:
        """Let go of threads and connections, and write what is not on record yet."""
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
        """Whether the file changed, at most once a second; reading it is left to a thread."""
        now = monotonic()
        if now - self._looked < _LOOK_EVERY:
            return
        self._looked = now
        if self._config is not None and self._is_due(self._config, now):
            try:
                threading.Thread(target=self._reload_unasked, name="proctor-guard-reload", daemon=True).start()
            except RuntimeError as error:  # no thread to be had: the steps go on by the old settings
                self._failed(f"the settings changed and could not be read again: {error}")

    def _is_due(self, config: Config, now: float) -> bool:
        """Return whether the file is to be read: it changed, or could not be used and may have changed unseen."""
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
            rack = Rack(config=config, run=config.settings.run, http=self._http)
            plan = make_plan(config, rack=rack, deadline=self._deadline, strict=True)
            check_replacement(self._config, self.plan, config, plan, was=self._text, text=text)
            settings = read_settings(config)
            living = settings.sessions
            hook = self._made_hook(config, settings.escalate)
            open_models(plan)
            if stamp_of(config) != self._seen:
                hint = "it is read again in a moment"
                raise ConfigError("the file changed while it was read", file=str(config.path), hint=hint)
        except Exception as error:  # whatever is wrong with the new settings, the old ones hold
            self._failed(str(error))
            return False
        self._config, self._rack, self._text = config, rack, text
        self.trouble = self.reload_error = None
        self._set_hook(settings.escalate, hook)
        self._sessions.most, self._sessions.idle = living.most, living.idle
        self._deadline.limits = settings.queue
        self._watch.plan = plan
        self._warmth.begin()
        self._watch.note("settings_read_again", version=plan.version)
        return True

    def _made_hook(self, config: Config, settings: EscalateSettings) -> ClosableHook | None:
        """Return the hook of the settings; the one there is when they did not change."""
        if settings == self._escalate and self._config is not None:
            return self._hook
        on_record = self._watch.recorder is not None
        return escalation_hook(config, settings, note=self._watch.note, on_record=on_record)

    def _set_hook(self, settings: EscalateSettings, hook: ClosableHook | None) -> None:
        before, self._hook, self._escalate = self._hook, hook, settings
        self._watch.hook = hook
        if hasattr(recorder := self._watch.recorder, "queue_escalated"):
            setattr(recorder, "queue_escalated", settings.queue)  # noqa: B010 - a recorder of somebody else has none
        if before is not None and before is not hook:  # it delivers what it has, which may take seconds
            threading.Thread(target=before.close, name="proctor-escalations-close", daemon=True).start()

    def _failed(self, reason: str) -> None:
        """Keep why the settings could not be read again; the same reason is told once."""
        if self.reload_error is not None and self.reload_error.reason == reason:
            return
        self.trouble, self.reload_error = reason, ReloadError.now(reason)
        self._watch.note("settings_not_usable", error=reason, version=self.plan.version)
        if self.troubled is not None:
            self.troubled(reason)


@dataclass(frozen=True, slots=True)
class SyncGuard:
    """A guard for code without an event loop; may be used from any thread."""

    guard: Guard

    def session(self, id: str | None = None, *, customer: str | None = None, vault: Vault | None = None) -> SyncSession:
        """Return the session of this name, or a new one."""
        return SyncSession(self.guard.session(id, customer=customer, vault=vault), self.guard._watch.door)

    def check(self, step: Step) -> Verdict:
        """Return what is decided about one step, outside any session."""
        return self.guard.run_sync(self.guard.check(step))

    def warm(self) -> None:
        """Ask every gate once, off the record."""
        self.guard.run_sync(self.guard.warm())

    def close(self) -> None:
        """Let go of threads and connections."""
        self.guard.close()


def _log(config: Config) -> Recorder:
    from proctor.store.guard_log import GuardLog  # noqa: PLC0415 - a guard that records nothing needs no store
    from proctor.wiring.guard_names import LogTagger  # noqa: PLC0415

    return GuardLog(config.store, tagger=LogTagger())
