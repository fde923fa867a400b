"""Labelled confidences: from audit ratings, task completion, outcomes, scores, or a file of pairs."""

from __future__ import annotations

import csv
import io
import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from proctor.config import Config
from proctor.core.audit import AuditedConversation
from proctor.core.calibration_report import ConfidencePair
from proctor.core.codec import loads
from proctor.core.decode import decode
from proctor.core.errors import InputError, MalformedError, NotFoundError, Problem
from proctor.core.event import Event
from proctor.monitor.audit_figures import final_pass, rated_items
from proctor.monitor.completion import TaskWatch
from proctor.wiring.monitor_state import open_audit_store
from proctor.workflows.monitor.audit import audit_settings
from proctor.workflows.monitor.completion import rules_of
from proctor.workflows.monitor.event_rows import RowSource, collect_facts, row_source

__all__ = ["LabelledPairs", "PairQuestion", "labelled_pairs"]

_TASK_KINDS = frozenset({"turn", "contact", "escalation", "outcome", "csat"})
_RIGHT = {"1", "true", "yes", "right", "correct", "pass"}
_WRONG = {"0", "false", "no", "wrong", "incorrect", "fail"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PairQuestion:
    """Where confidences and labels come from.

    ``labels`` is ``audit``, ``completion``, ``outcome`` or ``score/NAME``; ``correct`` and ``wrong`` are names of
    outcomes. ``pairs`` is a file that has both. ``since`` and ``until`` are seconds since the epoch.
    """

    labels: str = "audit"
    files: tuple[Path, ...] = ()
    pairs: Path | None = None
    correct: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    since: float | None = None
    until: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPairs:
    """The pairs, a word for their labels, and how many conversations had no confidence or no label."""

    pairs: tuple[ConfidencePair, ...]
    labels: str
    unlabelled: int = 0
    notes: tuple[str, ...] = ()


async def labelled_pairs(config: Config, question: PairQuestion) -> LabelledPairs:
    """Return the confidences with their labels; a conversation's confidence is that of its last turn with one.

    Raises:
        InputError: files or flags are wrong.
    """
    if question.pairs is not None:
        return LabelledPairs(pairs=tuple(_from_file(question.pairs)), labels=question.pairs.name)
    if question.labels == "audit":
        return _from_audit(config, question)
    rows = row_source(config, question.files)
    facts = [
        each
        for each in collect_facts(rows(question.since, None))
        if question.until is None or each.first < question.until
    ]
    if question.labels == "completion":
        known = await _completed(config, rows, question)
        return _paired(facts, known, "task completion")
    if question.labels == "outcome":
        return _from_outcomes(facts, question)
    name = question.labels.removeprefix("score/")
    if name == question.labels:
        hint = "use audit, completion, outcome, or score/NAME"
        raise InputError(f"there are no labels {question.labels!r}", field="--labels", hint=hint)
    said = {
        each.id: verdict.passed
        for each in facts
        for verdict in each.scores
        if verdict.name == name and verdict.passed is not None
    }
    if not said:
        known_names = sorted({verdict.name for each in facts for verdict in each.scores})
        hint = f"there are: {', '.join(known_names)}" if known_names else "no conversation has a score"
        raise NotFoundError(f"no conversation has a score named {name!r}", field="--labels", hint=hint)
    return _paired(facts, said, f"score {name}")


def _paired(facts: Sequence[AuditedConversation], known: Mapping[str, bool], labels: str) -> LabelledPairs:
    pairs = tuple(
        ConfidencePair(confidence=each.confidence, correct=known[each.id], time=each.first, intent=each.intent)
        for each in facts
        if each.confidence is not None and each.id in known
    )
    return LabelledPairs(pairs=pairs, labels=labels, unlabelled=len(facts) - len(pairs))


def _from_audit(config: Config, question: PairQuestion) -> LabelledPairs:
    settings = audit_settings(config)
    dimension = settings.dimensions[0]
    with open_audit_store(config) as store:
        rated = rated_items(store.items(), store.ratings(), store.settlements())
    pairs, others = [], 0
    for each in rated:
        about = each.item.about
        if (question.since is not None and about.first < question.since) or (
            question.until is not None and about.first >= question.until
        ):
            continue
        passed = final_pass(each, dimension, settings.pass_at)
        if passed is None or about.confidence is None:
            others += 1
            continue
        weight = 1 / each.item.probability
        pairs.append(
            ConfidencePair(
                confidence=about.confidence, correct=passed, weight=weight, time=about.first, intent=about.intent
            )
        )
    return LabelledPairs(pairs=tuple(pairs), labels=f"audit ratings of {dimension}", unlabelled=others)


async def _completed(config: Config, rows: RowSource, question: PairQuestion) -> dict[str, bool]:
    """Return whether the tasks of each session were completed, by the rules of proctor.yaml; all of them must be."""
    watch = TaskWatch(rules_of(config, None), None)
    found: dict[str, bool] = {}
    now = None if question.files else time.time()  # a clock that is fast ends no window of the project's log
    wanted = sorted(
        (row for row in rows(question.since, now) if row.kind in _TASK_KINDS and (row.session or row.customer)),
        key=lambda row: row.time,
    )
    done = []
    for row in wanted:
        done += await watch.add(decode(Event, loads(row.line)))
    done += watch.finish()
    for task in done:
        if task.session and task.state in ("completed", "not completed"):
            found[task.session] = found.get(task.session, True) and task.state == "completed"
    return found


def _from_outcomes(facts: Sequence[AuditedConversation], question: PairQuestion) -> LabelledPairs:
    seen = Counter(each.outcome for each in facts if each.outcome)
    if not question.correct or not question.wrong:
        names = ", ".join(name for name, _ in seen.most_common(12)) or "none"
        raise InputError(
            "outcomes need names of right and wrong ones",
            field="--labels",
            hint=f"give --correct NAME and --wrong NAME; in these events are: {names}",
        )
    if missing := [name for name in (*question.correct, *question.wrong) if name not in seen]:
        hint = f"there are: {', '.join(name for name, _ in seen.most_common(12)) or 'none'}"
        raise NotFoundError(f"no conversation has the outcome {missing[0]!r}", field="--correct", hint=hint)
    known = {
        each.id: each.outcome in question.correct
        for each in facts
        if each.outcome in question.correct or each.outcome in question.wrong
    }
    return _paired(facts, known, f"outcomes {', '.join(question.correct)} or {', '.join(question.wrong)}")


def _from_file(path: Path) -> Iterator[ConfidencePair]:
    problems: list[Problem] = []
    count = 0
    for number, data in _rows(path):
        count += 1
        pair = _pair(data, number, problems)
        if pair is not None:
            yield pair
    if problems:
        raise MalformedError(problems, file=str(path))
    if not count:
        raise InputError("there are no pairs in it", file=str(path), hint=_EXAMPLE)


_EXAMPLE = 'write {"confidence": 0.85, "correct": true} on a line, or a CSV with these columns'


def _pair(data: Mapping[str, Any], number: int, problems: list[Problem]) -> ConfidencePair | None:
    try:
        confidence = float(data.get("confidence", "nan"))
        weight = float(data.get("weight") or 1.0)
    except (TypeError, ValueError):
        confidence, weight = float("nan"), 1.0
    word = str(data.get("correct", "")).strip().lower()
    before = len(problems)
    if not 0 <= confidence <= 1:
        problems.append(Problem(("confidence",), "must be a number from 0 to 1", _EXAMPLE, number))
    if word not in _RIGHT | _WRONG:
        problems.append(Problem(("correct",), "must be true or false", _EXAMPLE, number))
    if not weight > 0:
        problems.append(Problem(("weight",), "must be more than 0", None, number))
    if len(problems) > before:
        return None
    time = data.get("time")
    return ConfidencePair(
        confidence=confidence,
        correct=word in _RIGHT,
        weight=weight,
        time=_seconds(time, number, problems) if time else None,
        intent=str(data["intent"]) if data.get("intent") else None,
    )


def _seconds(text: Any, number: int, problems: list[Problem]) -> float | None:
    try:
        time = datetime.fromisoformat(str(text))
    except ValueError:
        problems.append(Problem(("time",), "is no time", "write it like 2026-11-15T09:30:00Z", number))
        return None
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise NotFoundError("there is no such file", file=str(path), hint="check the path of the pairs") from None
    except (UnicodeDecodeError, OSError) as error:
        raise InputError(f"cannot be read: {error}", file=str(path), hint="save it as UTF-8 text") from None
    if path.suffix.lower() == ".csv":
        reader = csv.DictReader(io.StringIO(text, newline=""))
        for row in reader:
            yield reader.line_num, row
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
        except ValueError as error:
            raise MalformedError([Problem((), f"is not JSON: {error}", _EXAMPLE, number)], file=str(path)) from None
        if not isinstance(data, dict):
            raise MalformedError([Problem((), "is no object", _EXAMPLE, number)], file=str(path))
        yield number, data
