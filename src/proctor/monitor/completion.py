"""Follow events in time order and determine the outcome of every task, holding only open ones in memory."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count

from proctor.core.event import Event
from proctor.core.sockets import Embedder
from proctor.core.task import Task
from proctor.core.trajectory import Turn
from proctor.monitor.completion_rules import CompletionRules
from proctor.monitor.tasks import OpenTask, candidates
from proctor.monitor.topics import Contact, same_topic

__all__ = ["TaskWatch", "in_utc"]

_MAX_COMPARED_TASKS = 20  # newest of one customer


@dataclass(slots=True)
class TaskWatch:
    """The open tasks by session and by customer, with the time each of them expires."""

    rules: CompletionRules
    embedder: Embedder | None = None
    events: int = 0
    begun: datetime | None = None
    now: datetime | None = None
    unused: Counter[str] = field(default_factory=Counter)
    unplaced: Counter[str] = field(default_factory=Counter)
    _sessions: dict[str, list[OpenTask]] = field(default_factory=dict)
    _customers: dict[str, list[OpenTask]] = field(default_factory=dict)
    _expiries: list[tuple[datetime, int, OpenTask]] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=count)

    async def add(self, event: Event) -> list[Task]:
        """Process the next event and return the tasks that are now final.

        Raises:
            ValueError: a turn has neither a session nor a customer, or an event is out of order.
        """
        time = in_utc(event.time)
        if self.now is not None and time < self.now:
            raise ValueError(f"the event is {(self.now - time).total_seconds():g} s before the one that came before it")
        self.now, self.begun = time, self.begun or time
        self.events += 1
        done = self._expired(time)
        if event.kind == "turn":
            await self._turn(event, time)
        elif event.kind == "contact":
            await self._contact(event, time)
        elif event.kind in ("escalation", "outcome", "csat"):
            self._signal(event, time)
        else:
            self.unused[event.kind] += 1
        return done

    def finish(self, until: datetime | None = None) -> list[Task]:
        """Return every remaining task as of the end of the log, or of a later time that it covers."""
        end = max((each for each in (self.now, until and in_utc(until)) if each is not None), default=None)
        left = sorted(self._expiries, key=lambda each: each[1])
        self._expiries, self._sessions, self._customers = [], {}, {}
        self.now = end
        return [task.closed(end, self.rules) for _, _, task in left] if end is not None else []

    @property
    def held(self) -> int:
        """How many tasks are held now."""
        return len(self._expiries)

    # --- turns and contacts -------------------------------------------------------------------------

    async def _turn(self, event: Event, time: datetime) -> None:
        turn = event.turn or Turn()
        if not event.session and not event.customer:
            raise ValueError("a turn needs a session or a customer")
        session = event.session or f"customer {event.customer}"
        task = self._task_of(session, event, _intent_of(event), time)
        task.last = time
        task.contact.hear(turn.asked or str(event.metadata.get("text") or ""))
        task.contact.topic = _topic_of(event) or task.contact.topic
        task.learn(event, self.rules.about)
        if turn.escalation is not None:
            self._escalate(task, turn.escalation.category, time)
        await self._repeats(event, time, session=session, visit=task.visit)

    def _task_of(self, session: str, event: Event, intent: str | None, time: datetime) -> OpenTask:
        """Return the task that a turn continues, or a new one: another intent, or another visit after a silence."""
        there = self._sessions.get(session, [])
        newest = max((task.visit for task in there), default=-1)
        current = [task for task in there if task.visit == newest]
        last = max((task.last for task in current), default=None)
        if last is not None and (time - last).total_seconds() <= self.rules.repeat_contact.silence:
            if intent is None:
                return max(current, key=lambda task: task.last)
            name, _ = self.rules.rule_of(intent)
            for task in current:
                if task.intent in (None, name):
                    if task.intent is None:
                        task.name_intent(intent, self.rules)
                    return task
            return self._opened(session, event, intent, time, visit=newest)
        return self._opened(session, event, intent, time, visit=next(self._numbers))

    def _opened(self, session: str, event: Event, intent: str | None, time: datetime, *, visit: int) -> OpenTask:
        task = OpenTask(session=session, visit=visit, started=time, last=time, customer=event.customer)
        if intent is not None:
            task.name_intent(intent, self.rules)
        self._sessions.setdefault(session, []).append(task)
        if event.customer:
            self._customers.setdefault(event.customer, []).append(task)
        heapq.heappush(self._expiries, (task.expires(self.rules), next(self._numbers), task))
        return task

    async def _contact(self, event: Event, time: datetime) -> None:
        signals = ["contact", f"contact/{event.name}"] if event.name else ["contact"]
        if event.name and event.name.casefold() in self.rules.human:
            signals.append("contact/human")
        tasks = self._matching(event)
        for task in tasks:
            task.see(signals, time)
        compared = await self._repeats(event, time, session=event.session, visit=None)
        if not tasks and not compared:
            self.unplaced[signals[-1]] += 1

    async def _repeats(self, event: Event, time: datetime, *, session: str | None, visit: int | None) -> int:
        """Compare a contact with the customer's earlier tasks; return how many it was compared with."""
        if not event.customer:
            return 0
        earlier = [task for task in self._customers.get(event.customer, ()) if self._before(task, time, session, visit)]
        if not earlier:
            return 0
        said = event.turn.asked if event.turn else str(event.metadata.get("text") or "")
        intent = _intent_of(event)
        name = self.rules.rule_of(intent)[0] if intent is not None else None
        contact = Contact(intent=name, topic=_topic_of(event))
        contact.hear(said)
        if visit is not None and not contact.questions and not contact.topic:
            return 0  # a turn without content ("hello", "yes") is no repeated question
        for task in earlier[-_MAX_COMPARED_TASKS:]:
            settings = self.rules.repeat_contact
            found = await same_topic(
                task.contact,
                contact,
                embedder=self.embedder,
                similarity=settings.similarity,
                words=settings.words,
            )
            if found.same:
                task.mark_repeat(time, f"{_channel(event)}, {found.how}")
            elif found.same is None:
                task.unsure = True
        return len(earlier)

    def _before(self, task: OpenTask, time: datetime, session: str | None, visit: int | None) -> bool:
        """Return whether a contact now would be a new one relative to this task, and within its window."""
        if task.repeated_at is not None or time > task.repeat_deadline(self.rules):
            return False
        if visit is not None:
            return task.visit != visit
        silent = (time - task.last).total_seconds() > self.rules.repeat_contact.silence
        return session != task.session or silent

    # --- signals -----------------------------------------------------------------------------------

    def _signal(self, event: Event, time: datetime) -> None:
        tasks = self._matching(event)
        if event.kind == "csat":
            rating = _rating(event)
            for task in tasks:
                task.csat = rating if rating is not None else task.csat
        signals = [event.kind, f"{event.kind}/{event.name}"] if event.name else [event.kind]
        waiting = [task for task in tasks if task.waits_for(signals, time)]
        if not waiting and event.kind == "outcome":  # another system may name another session than the original one
            waiting = [task for task in self._of_customer(event) if task.waits_for(signals, time)]
        for task in waiting:
            task.see(signals, time)
        newest = max(tasks, key=lambda task: (task.last, task.started), default=None)
        if newest is not None and event.kind == "escalation":
            self._escalate(newest, event.name, time)
        if newest is None and not waiting:
            self.unplaced[signals[-1]] += 1
        elif not waiting and event.kind == "outcome":
            self.unused[signals[-1]] += 1

    def _escalate(self, task: OpenTask, category: str | None, time: datetime) -> None:
        task.escalated = True
        task.see(["escalation", f"escalation/{category}"] if category else ["escalation"], time)

    def _matching(self, event: Event) -> Sequence[OpenTask]:
        """Return the open tasks of its session; without any, those of its customer."""
        if event.session and (there := self._sessions.get(event.session)):
            newest = max(task.visit for task in there)
            return candidates([task for task in there if task.visit == newest], event, self.rules)
        return self._of_customer(event)

    def _of_customer(self, event: Event) -> Sequence[OpenTask]:
        there = self._customers.get(event.customer, ()) if event.customer else ()
        return candidates(there, event, self.rules)

    # --- expiry ------------------------------------------------------------------------------------

    def _expired(self, time: datetime) -> list[Task]:
        done: list[Task] = []
        while self._expiries and self._expiries[0][0] < time:
            _, number, task = heapq.heappop(self._expiries)
            if (later := task.expires(self.rules)) >= time:  # it continued after it was queued
                heapq.heappush(self._expiries, (later, number, task))
                continue
            _take_out(self._sessions, task.session, task)
            if task.customer:
                _take_out(self._customers, task.customer, task)
            done.append(task.closed(time, self.rules))
        return done


def in_utc(time: datetime) -> datetime:
    """Return the time in UTC; one without a zone is taken as UTC."""
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def _take_out(table: dict[str, list[OpenTask]], key: str, task: OpenTask) -> None:
    rest = [other for other in table.get(key, ()) if other is not task]
    if rest:
        table[key] = rest
    else:
        table.pop(key, None)


def _intent_of(event: Event) -> str | None:
    if event.intent:
        return event.intent
    intents = event.turn.intents if event.turn else ()
    return max(intents, key=lambda each: each.confidence or 0.0).name if intents else None


def _topic_of(event: Event) -> str | None:
    topic = event.metadata.get("topic")
    return str(topic) if topic else None


def _channel(event: Event) -> str:
    return "the agent was asked again" if event.kind == "turn" else f"contact by {event.name or 'an unnamed channel'}"


def _rating(event: Event) -> float | None:
    """Return a rating from 0 to 1; scales begin at 1."""
    scale = event.metadata.get("scale", 5)
    if event.value is None or isinstance(scale, bool) or not isinstance(scale, (int, float)) or scale <= 1:
        return None
    return min(1.0, max(0.0, (event.value - 1) / (scale - 1)))
