"""Check whether an answer has the format its intent requires: lists, links, prices, length, all names of a work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from proctor.core.case import Case
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Catalogue
from proctor.scorers.bounded_regex import PatternError, first_matches
from proctor.scorers.checked_answers import MOST_EVIDENCE, quoted
from proctor.text.answer_format import layout_slips, namings, shapes
from proctor.text.script import language_of
from proctor.text.split import words
from proctor.text.titles import candidates, mentions

__all__ = ["Format", "Shape", "score_formatting"]

Shape = Literal["bold", "card", "code", "emoji", "heading", "link", "list", "price", "question", "steps", "table"]

MISSING, UNWANTED, BROKEN, LENGTH, NAMES = 0.3, 0.2, 0.15, 0.2, 0.9
MOST_ASKED: Final = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """The required format of answers to one intent. Only what is set is checked.

    ``names: all`` requires the original title, the romanisation and the English title of a work.
    """

    need: tuple[Shape, ...] = ()
    avoid: tuple[Shape, ...] = ()
    any_of: tuple[Shape, ...] = ()
    patterns: tuple[str, ...] = ()
    least_words: int | None = None
    most_words: int | None = None
    names: Literal["all"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fault:
    cost: float
    note: str
    quote: str = ""


async def score_formatting(
    answer: str,
    wanted: Format | None,
    *,
    case: Case,
    catalogue: Catalogue | None,
    title_fields: Sequence[str],
) -> Score:
    """Check the format rules of the intent, and formatting that is broken for any intent."""
    if not answer.strip():
        return Score(name="formatting", value=0.0, confidence=1.0, reason="the answer is empty")
    faults = [
        _Fault(cost=BROKEN * slip.weight, note=f"{slip.kind}: {slip.note}", quote=slip.quote)
        for slip in layout_slips(answer)
    ]
    producer, confidence, told = "rule", 0.6, "no rules for this intent: only broken shapes were looked for"
    if wanted is not None:
        confidence, told = 0.9, "as this intent asks for"
        faults += _shape_faults(answer, wanted) + _length_faults(answer, wanted)
        try:
            faults += await _pattern_faults(answer, wanted)
            if wanted.names == "all":
                named, asked = await _name_faults(answer, case, catalogue, title_fields)
                faults += named
                producer = "rule+catalogue" if asked else "rule"
                confidence = 0.9 if asked else 0.7
        except PatternError as error:
            return Score(name="formatting", status="error", reason=str(error))
        except Exception as error:  # a failing catalogue gives a missing part, not an invented score
            reason = f"the catalogue did not answer: {type(error).__name__}: {error}"
            return Score(name="formatting", status="error", reason=quoted(reason, 300), producer="catalogue")
    return Score(
        name="formatting",
        value=max(0.0, 1.0 - sum(fault.cost for fault in faults)),
        confidence=confidence,
        reason=quoted("; ".join(dict.fromkeys(fault.note for fault in faults)) or told, 500),
        evidence=tuple(Evidence(quote=quoted(f.quote or answer, 120), note=f.note) for f in faults[:MOST_EVIDENCE]),
        producer=producer,
    )


def _shape_faults(answer: str, wanted: Format) -> list[_Fault]:
    has = shapes(answer)
    faults = [_Fault(cost=MISSING, note=f"has no {shape}") for shape in wanted.need if not has[shape]]
    faults += [_Fault(cost=UNWANTED, note=f"has a {shape}") for shape in wanted.avoid if has[shape]]
    if wanted.any_of and not any(has[shape] for shape in wanted.any_of):
        faults.append(_Fault(cost=MISSING, note=f"has none of {', '.join(wanted.any_of)}"))
    return faults


def _length_faults(answer: str, wanted: Format) -> list[_Fault]:
    count = len(words(answer))
    if language_of(answer) in ("ja", "zh"):
        count = round(count / 2.5)  # each character counts as a word there; limits are set in English words
    if wanted.most_words is not None and count > wanted.most_words:
        # The cost grows with the excess, up to double.
        over = min(1.0, count / max(1, wanted.most_words) - 1.0)
        return [_Fault(cost=LENGTH * (1 + over), note=f"{count} words, more than {wanted.most_words}")]
    if wanted.least_words is not None and count < wanted.least_words:
        return [_Fault(cost=LENGTH, note=f"{count} words, fewer than {wanted.least_words}")]
    return []


async def _pattern_faults(answer: str, wanted: Format) -> list[_Fault]:
    found = [(await first_matches(pattern, [answer]))[0] for pattern in wanted.patterns]
    return [
        _Fault(cost=MISSING, note=f"nothing matches {pattern}")
        for pattern, span in zip(wanted.patterns, found, strict=True)
        if span is None
    ]


async def _name_faults(
    answer: str, case: Case, catalogue: Catalogue | None, fields: Sequence[str]
) -> tuple[list[_Fault], bool]:
    """Return works named by only some of their names, and whether the catalogue was used.

    An answer in Japanese needs only the original title.
    """
    in_japanese = language_of(answer) == "ja"
    rows: list[Mapping[str, Any]] = []
    if catalogue is not None and fields:
        rows = await _named_works(answer, case, catalogue, fields)
        wanted = fields[:1] if in_japanese else fields
        short = [(row, [each for each in wanted if not _says(answer, row, each)]) for row in rows]
        if rows:
            return _as_faults(
                [(str(row.get(fields[-1])), len(missing) / len(wanted), missing) for row, missing in short]
            ), True
    if in_japanese:
        return [], False
    seen = namings(answer)
    return _as_faults([(each.quote, len(each.missing) / 3, list(each.missing)) for each in seen]), False


def _as_faults(named: Sequence[tuple[str, float, list[str]]]) -> list[_Fault]:
    if not named:
        return []
    share = NAMES / len(named)
    return [
        _Fault(cost=share * missing, note=f"a name is missing: {', '.join(lacks)}", quote=quote)
        for quote, missing, lacks in named
        if lacks
    ]


async def _named_works(answer: str, case: Case, catalogue: Catalogue, fields: Sequence[str]) -> list[Mapping[str, Any]]:
    """Return the works of the catalogue that the answer mentions by any of their names."""
    page = [str(value) for value in case.page.values() if isinstance(value, (str, int))]
    keys = [*(each.quote for each in candidates(answer)), *case.expect.products, *page]
    rows: list[Mapping[str, Any]] = []
    for key in list(dict.fromkeys(keys))[:MOST_ASKED]:
        row = await catalogue.find(key)
        if row is not None and all(row.get(field) for field in fields) and row not in rows:
            rows.append(row)
    return [row for row in rows if any(_says(answer, row, field) for field in fields)]


def _says(answer: str, row: Mapping[str, Any], field: str) -> bool:
    return bool(mentions(str(row[field]), answer, most=1))
