"""Attacks from PyRIT: exported attack results, or an export of its memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from proctor.core.imported_finding import ImportedFinding, ImportedVerdict
from proctor.redteam.import_source import ReportSource, finding_id, joined, mapping_at, text_at, text_of

__all__ = ["read_pyrit"]

_OUTCOMES: Final[Mapping[str, ImportedVerdict]] = {"success": "success", "failure": "failure"}
_REFUSAL = "refusal"  # a refusal scorer says true if the target refused


@dataclass(slots=True)
class _Conversation:
    """The pieces of one conversation, which an export may scatter."""

    line: int
    pieces: list[Mapping[str, Any]] = field(default_factory=list)


def read_pyrit(source: ReportSource) -> Iterator[ImportedFinding]:
    """Yield one finding for each attack result, or for each conversation of a memory export."""
    conversations: dict[str, _Conversation] = {}
    for line, entry in source.items(("attack_results", "*")):
        name = text_at(entry, "conversation_id")
        if not name:
            source.fail("an attack result or message needs a conversation_id", line=line, field="conversation_id")
        elif "outcome" in entry or "objective" in entry:
            yield _attack(source, line, entry)
        elif "role" in entry or "api_role" in entry:
            conversations.setdefault(name, _Conversation(line)).pieces.append(_slim(entry))
        else:
            source.fail("this is neither an attack result nor a message", line=line)
    for name, each in conversations.items():
        yield _conversation(source, name, each)


def _attack(source: ReportSource, line: int, entry: Mapping[str, Any]) -> ImportedFinding:
    objective, score = text_at(entry, "objective"), mapping_at(entry, "last_score")
    score = score or mapping_at(entry, "human_objective_score") or mapping_at(entry, "automated_objective_score")
    outcome = text_at(entry, "outcome").lower()
    attack = _attack_name(entry)
    payload = text_at(entry, "metadata.prompt", "metadata.last_prompt")
    return ImportedFinding(
        id=finding_id("pyrit", attack, objective, payload or text_at(entry, "conversation_id")),
        tool="pyrit",
        verdict=_OUTCOMES.get(outcome, "unscored"),
        tool_version=_version(entry),
        goal=objective,
        category=", ".join(map(str, entry.get("targeted_harm_categories") or ())),
        techniques=(*((attack,) if attack else ()), *_names(entry.get("request_converter_identifiers"))),
        payload=payload,
        response=text_of(entry.get("last_response")),
        detector=_name(score.get("scorer_class_identifier")),
        score=_number(score),
        reason=text_at(entry, "outcome_reason", "error_message") or text_at(score, "score_rationale") or outcome,
        target=_name(entry.get("objective_target_identifier")),
        file=source.name,
        line=line,
    )


def _conversation(source: ReportSource, name: str, found: _Conversation) -> ImportedFinding:
    pieces = sorted(found.pieces, key=lambda piece: _sequence(piece.get("sequence")))
    asked = [piece for piece in pieces if _role(piece) == "user"]
    answers = [piece for piece in pieces if _role(piece) == "assistant"]
    scores = [score for piece in pieces for score in piece.get("scores") or () if isinstance(score, Mapping)]
    verdict, decisive = _verdict(scores)
    last = answers[-1] if answers else {}
    broken = text_at(last, "response_error")
    if broken not in ("", "none") and verdict != "success":
        # A filter before the target is a defence; any other error means that nothing was tested.
        verdict = "failure" if broken == "blocked" else "unscored"
    head = asked[0] if asked else pieces[0]
    attack = _attack_name(head)
    payload = joined([text_of(piece) for piece in asked])
    objective = next((text for score in scores if (text := text_at(score, "objective", "task"))), "")
    return ImportedFinding(
        id=finding_id("pyrit", attack, objective, payload or name),
        tool="pyrit",
        verdict=verdict,
        tool_version=_version(head),
        goal=objective or text_at(head, "labels.objective"),
        category=", ".join(map(str, head.get("targeted_harm_categories") or ())),
        techniques=(*((attack,) if attack else ()), *_names(head.get("converter_identifiers"))),
        payload=payload,
        response=text_of(last),
        detector=_name(decisive.get("scorer_class_identifier")),
        score=_number(decisive),
        reason=text_at(decisive, "score_rationale") or (broken if broken != "none" else "") or "no true/false score",
        target=_name(head.get("prompt_target_identifier")),
        file=source.name,
        line=found.line,
    )


def _verdict(scores: Sequence[Mapping[str, Any]]) -> tuple[ImportedVerdict, Mapping[str, Any]]:
    """Return the verdict of the last true/false score. A refusal alone is a failure; no refusal alone says nothing."""
    asked = [score for score in scores if text_at(score, "score_type") == "true_false"]
    others = [score for score in asked if _REFUSAL not in _name(score.get("scorer_class_identifier")).lower()]
    if others:
        return ("success" if _is_true(others[-1]) else "failure"), others[-1]
    if asked and _is_true(asked[-1]):
        return "failure", asked[-1]
    return "unscored", (scores[-1] if scores else {})


def _slim(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a message with bounded texts: an export may hold files."""
    said = text_of(entry.get("converted_value")) or text_of(entry.get("original_value"))
    return {**entry, "converted_value": said, "original_value": ""}


def _role(piece: Mapping[str, Any]) -> str:
    return text_at(piece, "role", "api_role").replace("simulated_", "")


def _sequence(value: object) -> int:
    return value if isinstance(value, int) else 0


def _is_true(score: Mapping[str, Any]) -> bool:
    return str(score.get("score_value")).strip().lower() == "true"


def _number(score: Mapping[str, Any]) -> float | None:
    if text_at(score, "score_type") == "true_false":
        return float(_is_true(score))
    try:
        return float(str(score.get("score_value")))
    except ValueError:
        return None


def _attack_name(entry: Mapping[str, Any]) -> str:
    whole = mapping_at(entry, "atomic_attack_identifier", "children")
    nested = mapping_at(whole, "attack_technique", "children", "attack") or mapping_at(whole, "attack")
    return _name(nested) or _name(entry.get("attack_identifier")) or _name(entry.get("orchestrator_identifier"))


def _name(identifier: object) -> str:
    """Return the class of a component; versions of PyRIT write it under different keys."""
    if isinstance(identifier, str):
        return identifier
    return text_at(identifier, "class_name", "__type__", "name") if isinstance(identifier, Mapping) else ""


def _names(identifiers: object) -> tuple[str, ...]:
    return tuple(filter(None, map(_name, identifiers))) if isinstance(identifiers, list) else ()


def _version(entry: Mapping[str, Any]) -> str:
    keys = ("attack_identifier", "atomic_attack_identifier", "prompt_target_identifier")
    return text_at(entry, "pyrit_version", *(f"{key}.pyrit_version" for key in keys))
