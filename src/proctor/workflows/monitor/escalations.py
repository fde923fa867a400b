"""Find the causes of escalations in conversations, and combine them with labels by people."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from proctor.config import Config
from proctor.core.case import Case
from proctor.core.codec import dumps
from proctor.core.decode import decode
from proctor.core.errors import MalformedError, Problem
from proctor.core.event import Label
from proctor.core.handoff import EscalationCauses, HandOff
from proctor.core.trajectory import Trajectory
from proctor.monitor.completion_rules import CompletionRules
from proctor.monitor.escalation import DIMENSION, UNKNOWN, EscalationFigures
from proctor.monitor.knowledge_gaps import GapFinder
from proctor.monitor.sessions import conversations
from proctor.report.formats import whole_or_nothing
from proctor.scorers.conversation.escalation import EscalationCategory
from proctor.store.labels import PROCTOR, find_subject, keep_labels, labels_of, people_said
from proctor.store.runs import RunStore
from proctor.wiring.local_models import local_model
from proctor.wiring.project_tools import with_tool_effects
from proctor.wiring.settings_section import placed_in
from proctor.workflows.monitor.event_source import EventSource

__all__ = ["EscalationJob", "LabelledHandOff", "escalations_of", "label_hand_off", "scorer_of"]

_BATCH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class EscalationJob:
    """The conversations to read and the options; without files, the project's event log is read.

    ``hand_offs`` is an output file of JSON lines.
    """

    recordings: tuple[Path, ...] = ()
    events: tuple[Path, ...] = ()
    format: str = "auto"
    light: bool = False
    at_least: int = 1
    hand_offs: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledHandOff:
    """A person's label and Proctor's own finding."""

    id: str
    category: str
    found: str | None


def scorer_of(config: Config, *, light: bool) -> EscalationCategory:
    """Return the scorer with the settings under ``escalation:`` in proctor.yaml.

    Raises:
        MalformedError: a setting is unknown or wrong.
    """
    given = dict(with_tool_effects(EscalationCategory, config.settings.escalation, config.settings.tools))
    try:
        if "embedder" in given:
            hint = "take it out: the encoder that ships is used"
            raise MalformedError([Problem(("embedder",), "unknown key", hint)])
        settings = {**given, "embedder": local_model("embedder")}
        return decode(EscalationCategory, settings | ({"light": True} if light else {}), strict=True)
    except MalformedError as error:
        raise placed_in(config.path, [each.under("escalation") for each in error.problems]) from None


async def escalations_of(config: Config, job: EscalationJob) -> EscalationCauses:
    """Find the cause of every hand-off, record it next to people's labels, and collect knowledge gaps.

    Raises:
        InputError: a file cannot be read, or something in it is wrong.
        StoreError: the database or a file cannot be written.
    """
    scorer = scorer_of(config, light=job.light)
    finder = GapFinder(None if job.light else scorer.embedder)
    with RunStore(config.store) as store, ExitStack() as stack:
        figures = EscalationFigures(people_said(store, DIMENSION))
        out = stack.enter_context(whole_or_nothing(job.hand_offs)) if job.hand_offs else None
        kept: list[Label] = []
        for case in _cases(config, job):
            found = await hand_off_of(scorer, case)
            figures.add(found)
            if found is None:
                continue
            await finder.add(found)
            kept.append(Label(subject=found.id, dimension=DIMENSION, value=found.category or UNKNOWN, by=PROCTOR))
            if out is not None:
                out.write(dumps(found).decode() + "\n")
            if len(kept) >= _BATCH:
                keep_labels(store, kept)
                kept.clear()
        keep_labels(store, kept)
    gaps = await finder.gaps(at_least=job.at_least)
    return figures.table(gaps, ["light: causes and gaps by words only"] if job.light else [])


async def hand_off_of(scorer: EscalationCategory, case: Case) -> HandOff | None:
    """Return the hand-off of a conversation with its cause; ``None`` if there was none."""
    run = case.recorded or Trajectory()
    found = await scorer.categorise(run)
    if found is None:
        return None
    turn = run.turns[found.turn]
    intents = [intent.name for each in run.turns[: found.turn + 1] for intent in each.intents]
    return HandOff(
        id=case.id,
        turn=found.turn,
        category=found.category,
        reason=found.reason,
        question=found.question,
        declared=found.declared,
        also=tuple(found.also),
        confidence=found.confidence,
        intent=case.intent or (intents[-1] if intents else None),
        customer=run.customer,
        time=turn.time,
        evidence=found.evidence,
    )


def label_hand_off(config: Config, name: str, *, category: str, by: str, note: str = "") -> LabelledHandOff:
    """Record a person's label for the cause of a hand-off.

    Raises:
        NotFoundError: no hand-off, or more than one, matches.
    """
    with RunStore(config.store) as store:
        subject = find_subject(store, DIMENSION, name)
        found = next(
            (str(each.value) for each in labels_of(store, DIMENSION, subject=subject) if each.by == PROCTOR), None
        )
        said = Label(subject=subject, dimension=DIMENSION, value=category, by=by, note=note, time=datetime.now(UTC))
        keep_labels(store, [said])
    return LabelledHandOff(id=subject, category=category, found=found)


def _cases(config: Config, job: EscalationJob) -> Iterator[Case]:
    if job.recordings:
        from proctor.suites.conversations.detect import open_all  # noqa: PLC0415 - only where there are such files

        yield from open_all(job.recordings, job.format)
    late = CompletionRules().lateness
    named: list[tuple[Path, ...]] = [(path,) for path in job.events]
    for files in named or ([] if job.recordings else [()]):
        log = (placed.event for placed in EventSource.of(config, files).read(late=late))
        for run in conversations(log):
            yield Case(id=run.id or "", recorded=run)
