"""Convert graders of OpenAI and Azure evals to our checks, or report why one has no counterpart."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from proctor.core.case import Check
from proctor.suites.exchange.bundle import Notes
from proctor.suites.exchange.foreign_judges import label_check, rubric_of, score_check
from proctor.suites.exchange.templates import filled, variables

__all__ = ["grader_check", "is_by_item", "message_text"]

_OUTPUT = ("sample.output_text", "sample.output", "item.output")
_METRICS = {"bleu": "bleu", **dict.fromkeys(("rouge_1", "rouge_2", "rouge_3", "rouge_4", "rouge_5"), "rouge_l")}
_METRICS["rouge_l"] = "rouge_l"


def message_text(message: Any) -> str:
    """Return the text of a message in any content format."""
    content = message.get("content") if isinstance(message, Mapping) else message
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text", "") if isinstance(part, Mapping) else part for part in parts]
    return "".join(text for text in texts if isinstance(text, str))


def is_by_item(grader: Any) -> bool:
    """Whether the grader's reference differs per item, so that each case needs its own check."""
    if not isinstance(grader, Mapping) or grader.get("type") not in ("string_check", "text_similarity"):
        return False
    return bool(variables(str(grader.get("reference") or "")))


def grader_check(grader: Any, item: Mapping[str, Any], notes: Notes, place: str) -> Check | None:
    """Convert a grader to a check; ``None`` if it is noted as unsupported."""
    if not isinstance(grader, Mapping):
        notes.add("a grader that is no object was left out", place)
        return None
    kind, name = grader.get("type"), str(grader.get("name") or "")
    if kind in ("string_check", "text_similarity"):
        looked_at = variables(str(grader.get("input") or ""))
        if len(looked_at) != 1 or looked_at[0] not in _OUTPUT:
            notes.add(f"the grader {name!r} looks at something else than the answer and was left out", place)
            return None
        values = {f"item.{key}": value for key, value in item.items()}
        wanted = filled(str(grader.get("reference") or ""), values)
        make = _string if kind == "string_check" else _similar
        return make(name, grader, wanted, notes, place)
    if kind == "label_model":
        return _label(name, grader, notes, place)
    if kind == "score_model":
        return _score(name, grader, notes)
    why = (
        "is code, which is never run here" if kind == "python" else f"is of the kind {kind!r}, which is not known here"
    )
    notes.add(f"the grader {name!r} {why}, and was left out", place)
    return None


def _string(name: str, grader: Mapping[str, Any], wanted: str, notes: Notes, place: str) -> Check | None:
    operation = grader.get("operation")
    if not wanted.strip() and operation != "eq":
        notes.add(f"the grader {name!r} has nothing to look for in an item", place)
        return None
    if operation == "eq":
        return Check(scorer="exact", settings={"value": wanted, "trim": False}, name=name or None)
    if operation == "ne":
        pattern = rf"\A{re.escape(wanted)}\Z"
        return Check(scorer="regex", settings={"value": pattern, "mode": "none"}, name=name or None)
    if operation in ("like", "ilike"):
        settings: dict[str, Any] = {"value": wanted}
        if operation == "ilike":
            settings["ignore_case"] = True
        return Check(scorer="contains", settings=settings, name=name or None)
    notes.add(f"the grader {name!r} compares by {operation!r}, which is not known here, and was left out", place)
    return None


def _similar(name: str, grader: Mapping[str, Any], wanted: str, notes: Notes, place: str) -> Check | None:
    if not wanted.strip():
        notes.add(f"the grader {name!r} has nothing to compare with in an item", place)
        return None
    metric = str(grader.get("evaluation_metric"))
    if metric not in _METRICS:
        notes.add(f"the grader {name!r} measures {metric}; here it is chrF, on letters: look at its threshold")
    at = grader.get("pass_threshold")
    settings = {"reference": wanted, "metric": _METRICS.get(metric, "chrf")}
    threshold = float(at) if isinstance(at, (int, float)) and 0 <= at <= 1 else None
    return Check(scorer="overlap", settings=settings, name=name or None, threshold=threshold)


def _rubric(grader: Mapping[str, Any], notes: Notes) -> str:
    given = grader.get("input")
    if grader.get("model"):
        notes.add(f"the judge was {grader['model']}: name the model that judges now with --judge")
    return rubric_of(*(message_text(each) for each in given)) if isinstance(given, list) else ""


def _texts(value: Any) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else []


def _label(name: str, grader: Mapping[str, Any], notes: Notes, place: str) -> Check | None:
    passing, labels = _texts(grader.get("passing_labels")), _texts(grader.get("labels"))
    rubric = _rubric(grader, notes)
    if len(labels) < 2 or not passing or not rubric:
        notes.add(f"the grader {name!r} needs a prompt, two labels and one that passes, and was left out", place)
        return None
    return label_check(name, rubric, {label: 1.0 if label in passing else 0.0 for label in labels})


def _score(name: str, grader: Mapping[str, Any], notes: Notes) -> Check:
    given = grader.get("range")
    numbers = [each for each in given if isinstance(each, (int, float))] if isinstance(given, list) else []
    low, high = numbers if len(numbers) == 2 and numbers[0] < numbers[1] else (0, 1)
    at = grader.get("pass_threshold")
    rubric = _rubric(grader, notes) or name
    return score_check(name, rubric, float(low), float(high), float(at) if isinstance(at, (int, float)) else None)
