"""Attacks from a report or a hit log of garak."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from proctor.core.imported_finding import ImportedFinding, ImportedVerdict
from proctor.redteam.import_source import ReportSource, finding_id, joined, text_at, text_of

__all__ = ["read_garak"]

_COMPLETE = 2  # an attempt is written again when it is complete
_EVAL_THRESHOLD = 0.5  # garak's default: a detector's score from here on is a hit


def read_garak(source: ReportSource) -> Iterator[ImportedFinding]:
    """Yield one finding for each output of a complete attempt, or for each hit of a hit log."""
    version, threshold, target = "", _EVAL_THRESHOLD, ""
    for line, entry in source.lines():
        kind = entry.get("entry_type")
        if kind == "start_run setup":
            version = _flat(entry, "_config.version")
            given = _number(entry.get("run.eval_threshold"))
            threshold = _EVAL_THRESHOLD if given is None else given
            target = " ".join(filter(None, (_flat(entry, "plugins.target_type"), _flat(entry, "plugins.target_name"))))
        elif kind == "init":
            version = text_at(entry, "garak_version") or version
        elif kind == "attempt" and entry.get("status") == _COMPLETE:
            yield from _attempt(source, line, entry, threshold, (version, target))
        elif kind is None and "probe" in entry and "detector" in entry:
            yield _hit(source, line, entry)


def _flat(entry: Mapping[str, Any], key: str) -> str:
    """Return a setting; garak writes the path of a setting as one key with dots."""
    value = entry.get(key)
    return value if isinstance(value, str) else ""


def _attempt(
    source: ReportSource, line: int, entry: Mapping[str, Any], threshold: float, origin: tuple[str, str]
) -> Iterator[ImportedFinding]:
    outputs, results = entry.get("outputs"), entry.get("detector_results")
    probe = text_at(entry, "probe_classname", "probe")
    if not probe or not isinstance(outputs, list) or not isinstance(results, Mapping):
        source.fail("a complete attempt needs probe_classname, outputs and detector_results", line=line)
        return
    payload = _prompt(entry.get("prompt"))
    for place, output in enumerate(outputs):
        scores = {name: _score(values, place) for name, values in results.items()}
        known = {str(name): score for name, score in scores.items() if score is not None}
        hits = [name for name, score in known.items() if score >= threshold]
        verdict: ImportedVerdict = "unscored" if not known or output is None else "success" if hits else "failure"
        yield ImportedFinding(
            id=finding_id("garak", probe, payload, str(place)),
            tool="garak",
            verdict=verdict,
            tool_version=origin[0],
            goal=text_at(entry, "goal"),
            category=probe.partition(".")[0],
            techniques=(probe,),
            payload=payload,
            response=text_of(output),
            detector=", ".join(hits or known),
            score=max(known.values(), default=None),
            reason=_reason(verdict, hits, threshold),
            language=_language(entry.get("prompt")),
            target=origin[1],
            file=source.name,
            line=line,
        )


def _hit(source: ReportSource, line: int, entry: Mapping[str, Any]) -> ImportedFinding:
    probe, payload = text_at(entry, "probe"), _prompt(entry.get("prompt"))
    place, detector = entry.get("attempt_idx", 0), text_at(entry, "detector")
    return ImportedFinding(
        id=finding_id("garak", probe, payload, str(place)),
        tool="garak",
        verdict="success",
        goal=text_at(entry, "goal"),
        category=probe.partition(".")[0],
        techniques=(probe,) if probe else (),
        payload=payload,
        response=text_of(entry.get("output")),
        detector=detector,
        score=_number(entry.get("score")),
        reason=f"hit of the detector {detector}",
        language=_language(entry.get("prompt")),
        target=text_at(entry, "generator"),
        file=source.name,
        line=line,
    )


def _reason(verdict: ImportedVerdict, hits: Sequence[str], threshold: float) -> str:
    if verdict == "unscored":
        return "no detector gave a score, or there was no output"
    return f"{', '.join(hits)} at {threshold:g} or more" if hits else f"every detector under {threshold:g}"


def _prompt(prompt: object) -> str:
    """Return what the user says: a text in old reports, a message, or a conversation."""
    turns = prompt.get("turns") if isinstance(prompt, Mapping) else None
    if not isinstance(turns, list):
        return text_of(prompt)
    said = [turn for turn in turns if isinstance(turn, Mapping) and turn.get("role") == "user"]
    return joined([text_of(turn.get("content")) for turn in said])


def _language(prompt: object) -> str:
    turns = prompt.get("turns") if isinstance(prompt, Mapping) else None
    last = turns[-1] if isinstance(turns, list) and turns and isinstance(turns[-1], Mapping) else {}
    found = text_at(last, "content.lang") or (text_at(prompt, "lang") if isinstance(prompt, Mapping) else "")
    return "" if found == "*" else found


def _score(values: object, place: int) -> float | None:
    if not isinstance(values, list) or place >= len(values):
        return None
    return _number(values[place])


def _number(value: object) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if is_number else None  # type: ignore[arg-type]
