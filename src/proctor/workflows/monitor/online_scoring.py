"""Score conversations from production in the background: those that were flagged, and a sample of the others."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, Final

from proctor.config import Config
from proctor.core.case import Case
from proctor.core.conversation_summary import ConversationSummary
from proctor.core.errors import InputError, ProctorError
from proctor.core.event import Event
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory
from proctor.project import Project
from proctor.runner.grade import Grader, grade
from proctor.store.conversation_index import ConversationIndex
from proctor.store.history import History
from proctor.store.lock import only_one
from proctor.store.scoring_progress import DueConversation, ScoringFigures, ScoringProgress
from proctor.wiring.models import ModelPool
from proctor.wiring.monitor_state import open_event_database
from proctor.wiring.scorers import GraderFactory, with_fast_models
from proctor.workflows.monitor.scoring_settings import ScoringSettings, check_scorers, scoring_settings, scoring_suite

__all__ = ["SOURCE", "OnlineScoring", "ScoringStep", "background_scoring"]

SOURCE: Final = "proctor"  # of the scores that come back as events
_FIRST_LOOK: Final = 86_400.0  # how far back the first start looks for conversations
_OVERLAP: Final = 900.0  # events may come late: the last minutes are looked at again
_PAGE: Final = 1_000
_BATCH: Final = 100
_RETRY_SECONDS: Final = 60.0
_MAX_REASON_CHARS: Final = 300
_MAX_EVIDENCE: Final = 6
_KEPT: Final = 30 * 86_400.0
_STOP_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringStep:
    """What one step did: conversations that were queued, scored, had nothing to score, or could not be scored."""

    queued: int = 0
    scored: int = 0
    skipped: int = 0
    unscored: int = 0
    postponed: int = 0
    events: int = 0


@dataclass(frozen=True, slots=True)
class _Judged:
    """The scores of a conversation with so many turns, and when they were made."""

    turns: int
    time: float
    scores: tuple[Score, ...]


class OnlineScoring:
    """Queues conversations that went quiet and scores them with the scorers of a suite.

    ``deliver`` takes the scores as events, as those of any other sender. The queue is on disk: a process that is killed
    goes on where it was, and a score that was delivered before is known by its id. Of several processes on one store
    one scores.
    """

    def __init__(
        self,
        config: Config,
        settings: ScoringSettings,
        deliver: Callable[[Sequence[Event]], object],
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._config, self.settings = config, settings
        suite = scoring_suite(config, settings)
        self._suite = replace(suite, scorers=tuple(map(with_fast_models, suite.scorers)))
        self._deliver = deliver
        self._clock = clock
        self._model_pool: ModelPool | None = None
        self._grader_factory: GraderFactory | None = None
        self._project: Project | None = None
        self._day = ""
        self._noted = 0.0  # dollars of the pool that are in the progress already
        self._judged: dict[str, _Judged] = {}  # by session: paid for, but not delivered or not recorded yet
        check_scorers(config, settings, self._suite)

    async def step(self, project: Project, progress: ScoringProgress) -> ScoringStep:
        """Queue what is due, and score a batch of what waits.

        Raises:
            StoreError: the disk failed; nothing that was not delivered counts as scored.
        """
        now = self._clock()
        due: list[DueConversation] = []
        known: dict[str, tuple[ConversationSummary, Trajectory]] = {}
        with History(self._config.store, search=False, database=open_event_database(self._config)) as history:
            index = history.indexer.conversations
            queued = self._queue(index, progress, now)
            for one in progress.waiting(now, _BATCH):
                due.append(one)
                summary, talk = index.get(one.session), history.conversation(one.session)
                if summary is not None and talk is not None and talk.turns:
                    known[one.session] = (summary, talk)
        try:
            graders = self._graders(project, progress, now)
        except InputError as error:  # a model cannot be made, as without its key: the reason is shown with the lag
            reason = f"{error.message}; {error.hint}" if error.hint else error.message
            for one in due:
                progress.postpone(one.session, until=now + _RETRY_SECONDS, reason=reason, counts=False)
            return ScoringStep(queued=queued, postponed=len(due))
        self._judged = {each.session: self._judged[each.session] for each in due if each.session in self._judged}
        gate = asyncio.Semaphore(self.settings.concurrency)

        async def judge(waiting: DueConversation) -> ScoringStep:
            async with gate:
                if waiting.session not in known:
                    progress.finish(waiting.session, "skipped", now=now, reason="its turns are not in the log")
                    return ScoringStep(skipped=1)
                return await self._score(waiting, *known[waiting.session], graders, progress)

        # Calls that are under way are paid for: they are finished also if the disk fails for another conversation.
        done = await asyncio.gather(*(judge(each) for each in due), return_exceptions=True)
        for each in done:
            if isinstance(each, BaseException):
                raise each
        self._note_spend(progress, now)
        return _total([ScoringStep(queued=queued), *(each for each in done if isinstance(each, ScoringStep))])

    async def work(self, stop: asyncio.Event, *, every: float = 10.0) -> None:
        """Score until asked to stop. Another process that scores this store already is left alone, and replaced later.

        Raises:
            StoreError: the disk failed.
        """
        while not stop.is_set():
            with only_one(self._config.store / "scoring.lock") as free:
                if free:
                    async with Project(self._config) as project:
                        with ScoringProgress(self._config.store) as progress:
                            await self._work(project, progress, stop, every)
            await _pause(stop, every)

    async def _work(self, project: Project, progress: ScoringProgress, stop: asyncio.Event, every: float) -> None:
        while not stop.is_set():
            made = await self.step(project, progress)
            if made.scored + made.skipped + made.unscored < _BATCH // 2:
                progress.drop_before(self._clock() - _KEPT)
                await _pause(stop, every)

    def in_thread(self, *, every: float = 10.0) -> Callable[[], None]:
        """Begin to score in a thread with an event loop of its own; return a function that stops it."""
        loop = asyncio.new_event_loop()
        task = loop.create_task(self._in_peace(asyncio.Event(), every))

        def work() -> None:
            with closing(loop), suppress(asyncio.CancelledError):
                loop.run_until_complete(task)

        thread = threading.Thread(target=work, name="online-scoring", daemon=True)
        thread.start()

        def end() -> None:
            if thread.is_alive():  # what was not delivered waits for the next start
                loop.call_soon_threadsafe(task.cancel)
                thread.join(timeout=_STOP_SECONDS)

        return end

    async def _in_peace(self, stop: asyncio.Event, every: float) -> None:
        """Work on after an error of the store: what waits is on disk, and the lag shows that it waits."""
        while not stop.is_set():
            try:
                await self.work(stop, every=every)
            except (ProctorError, OSError):
                await _pause(stop, _RETRY_SECONDS)

    # --- the queue -----------------------------------------------------------------------------------

    def _queue(self, index: ConversationIndex, progress: ScoringProgress, now: float) -> int:
        """Queue the conversations that went quiet since the last look."""
        until = now - self.settings.quiet_seconds
        before = progress.scanned
        since = (before if before is not None else until - _FIRST_LOOK) - _OVERLAP
        sample = self.settings.sample
        due = [
            DueConversation(
                session=each.session, why=why, due=each.last + self.settings.quiet_seconds, turns=each.turns
            )
            for each in _pages(index, since, until)
            if each.turns and (why := sample.reason_for(each.session, each.intent, each.signals))
        ]
        return progress.queue(due, scanned=max(until, before or until))

    # --- one conversation ----------------------------------------------------------------------------

    async def _score(
        self,
        waiting: DueConversation,
        summary: ConversationSummary,
        talk: Trajectory,
        graders: Sequence[Grader],
        progress: ScoringProgress,
    ) -> ScoringStep:
        judged = self._judged.get(waiting.session)
        if judged is None or judged.turns != waiting.turns:
            mine = [each for each in graders if each.name not in _scored_by_sender(waiting, summary)]
            if not mine:
                progress.finish(waiting.session, "skipped", now=self._clock(), reason="its sender has scored it")
                return ScoringStep(skipped=1)
            case = Case(id=waiting.session, intent=summary.intent, recorded=talk)
            try:
                made = await asyncio.wait_for(grade(case, talk, mine), self.settings.timeout_seconds)
            except TimeoutError:
                return self._failed(waiting, f"no score within {self.settings.timeout}", progress)
            judged = _Judged(turns=waiting.turns, time=self._clock(), scores=tuple(made.scores))
            self._judged[waiting.session] = judged
        step = self._record(judged, waiting, summary, progress)
        del self._judged[waiting.session]
        return step

    def _record(
        self, judged: _Judged, waiting: DueConversation, summary: ConversationSummary, progress: ScoringProgress
    ) -> ScoringStep:
        """Deliver the scores of a conversation and record what became of it."""
        now = self._clock()
        events = [_event(each, waiting, summary, judged.time) for each in judged.scores if each.status == "ok"]
        if events:
            self._deliver(events)
        if broken := [each for each in judged.scores if each.status == "error"]:
            reason = "; ".join(f"{each.name}: {each.reason}" for each in broken)
            return replace(self._failed(waiting, reason, progress), events=len(events))
        if not events:
            progress.finish(waiting.session, "skipped", now=now, reason="no scorer applied")
            return ScoringStep(skipped=1)
        progress.finish(waiting.session, "scored", now=now)
        return ScoringStep(scored=1, events=len(events))

    def _failed(self, waiting: DueConversation, reason: str, progress: ScoringProgress) -> ScoringStep:
        """Try again later; after the last attempt the conversation is unscored, which is no score."""
        now = self._clock()
        if self._model_pool is not None and self._model_pool.budget is not None and self._model_pool.budget.is_spent:
            tomorrow = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
            progress.postpone(
                waiting.session, until=tomorrow.timestamp() + 86_400.0, reason="today's budget is spent", counts=False
            )
            return ScoringStep(postponed=1)
        if waiting.attempts + 1 >= self.settings.attempts:
            progress.finish(waiting.session, "unscored", now=now, reason=reason)
            return ScoringStep(unscored=1)
        progress.postpone(waiting.session, until=now + _RETRY_SECONDS * 2.0**waiting.attempts, reason=reason)
        return ScoringStep(postponed=1)

    def _graders(self, project: Project, progress: ScoringProgress, now: float) -> Sequence[Grader]:
        """Return the scorers; each day has its own budget, and the models are closed with their project."""
        day = datetime.fromtimestamp(now, UTC).date().isoformat()
        if self._grader_factory is None or day != self._day or project is not self._project:
            self._note_spend(progress, now)  # what a step that failed has spent
            run = self._config.settings.run
            if self.settings.budget is not None:
                run = replace(run, budget=max(0.0, self.settings.budget - progress.spent(now)))
            self._model_pool = project.model_pool(run)
            self._grader_factory = GraderFactory(self._suite, self._model_pool, light=self.settings.light, trusted=True)
            self._project, self._day, self._noted = project, day, 0.0  # of the new model_pool nothing is noted yet
        return self._grader_factory.graders(Case(id="-"))

    def _note_spend(self, progress: ScoringProgress, now: float) -> None:
        total = sum(each.cost or 0.0 for each in self._model_pool.spend()) if self._model_pool is not None else 0.0
        if total > self._noted:
            progress.spend(total - self._noted, now=now)
            self._noted = total

    def figures(self) -> ScoringFigures:
        """Return how it is doing: what waits, and how far it lags behind."""
        with ScoringProgress(self._config.store) as progress:
            return progress.figures(self._clock())


@contextmanager
def background_scoring(
    config: Config, deliver: Callable[[Sequence[Event]], object], *, every: float = 10.0
) -> Iterator[OnlineScoring | None]:
    """Score in a thread while the block runs, if `monitor: {scoring: …}` asks for it.

    Raises:
        InputError: a setting or a scorer is wrong.
    """
    settings = scoring_settings(config)
    if settings is None:
        yield None
        return
    scoring = OnlineScoring(config, settings, deliver)
    stop = scoring.in_thread(every=every)
    try:
        yield scoring
    finally:
        stop()


def _pages(index: ConversationIndex, since: float, until: float) -> Iterator[ConversationSummary]:
    """Yield the conversations whose last event is in [since, until), each once."""
    seen: set[str] = set()
    end = until
    while True:
        page = index.find(since=since, until=end, limit=_PAGE)
        new = [each for each in page if each.session not in seen]
        yield from new
        seen.update(each.session for each in new)
        if len(page) < _PAGE or not new:
            return
        end = page[-1].last + 1e-6  # those with the very same time are met again, and known


def _scored_by_sender(waiting: DueConversation, summary: ConversationSummary) -> frozenset[str]:
    """Return the scores that the sender made itself; after an attempt of ours, ours are among them and made again."""
    return frozenset() if waiting.tried else frozenset(summary.scores)


def _event(score: Score, waiting: DueConversation, summary: ConversationSummary, now: float) -> Event:
    """Return a score as an event; its id is the same however often it is made."""
    key = "\n".join((waiting.session, score.name, str(waiting.turns)))
    turn = next((each.turn for each in score.evidence if each.turn is not None), None)
    told: dict[str, Any] = {
        "passed": score.passed,
        "confidence": score.confidence,
        "reason": score.reason[:_MAX_REASON_CHARS],
        "producer": score.producer,
        "scorer_version": score.version,
        "turn": turn,
        "evidence": [
            {"turn": each.turn, "quote": each.quote[:_MAX_REASON_CHARS], "note": each.note[:_MAX_REASON_CHARS]}
            for each in score.evidence[:_MAX_EVIDENCE]
        ],
        "why": waiting.why,
    }
    return Event(
        kind="score",
        id=f"score-{blake2b(key.encode('utf-8', 'surrogatepass'), digest_size=12).hexdigest()}",
        time=datetime.fromtimestamp(now, UTC),
        session=waiting.session,
        customer=summary.customer,
        intent=summary.intent,
        model=summary.model,
        version=summary.version,
        source=SOURCE,
        name=score.name,
        value=score.value,
        masked=True,
        metadata={name: value for name, value in told.items() if value not in (None, "", [])},
    )


def _total(steps: Sequence[ScoringStep]) -> ScoringStep:
    names = ScoringStep.__dataclass_fields__
    return ScoringStep(**{name: sum(getattr(each, name) for each in steps) for name in names})


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(stop.wait(), seconds)
    except TimeoutError:
        return
