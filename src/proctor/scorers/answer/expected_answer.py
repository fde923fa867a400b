"""Compare the answer with the expected one that the author wrote: by value where that decides, else as information."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass
from typing import Any, ClassVar

from proctor.core.case import Case
from proctor.core.generated_test import PERSON, GeneratedTest
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Trajectory
from proctor.scorers.checked_answers import Passage, quoted, score_expected, scored, unjudged
from proctor.text.loose_json import NotJsonError, candidates
from proctor.text.overlap import TooLongError, chrf

__all__ = ["Expected"]

_LABEL_WORDS = 3  # a text of more words can be said in other words
_LABEL_CHARACTERS = 40
_AUTHORS = ("", "sample", PERSON)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The answer equals the expected one, as text or as JSON; for free text, how similar it is."""

    name: ClassVar[str] = "expected"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = None
    primary: ClassVar[str | None] = "decides"

    decides: bool | None = None

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Compare with the reference. A different answer fails only where nothing else could be right.

        That is so for labels, numbers and JSON of such values that the author expects. For other texts, and for
        answers that a model wrote as groundtruth, the similarity is information; ``decides`` overrides this.
        """
        is_authors = GeneratedTest.of(case).origin in _AUTHORS
        return score_expected(
            self,
            case,
            run,
            where="answer",
            given=None,
            pick=lambda expect: expect.reference if expect.reference and expect.reference.strip() else None,
            check=lambda passage, reference: self._check(passage, reference, is_authors=is_authors),
            nothing="there is no expected answer to compare with",
        )

    def _check(self, passage: Passage, reference: str, *, is_authors: bool) -> Score:
        evidence = (
            Evidence(quote=quoted(passage.text), turn=passage.turn),
            Evidence(quote=quoted(reference), where="reference"),
        )
        data = _data(reference)
        if _plain(passage.text) == _plain(reference) or (data is not None and _has(passage.text, data[0])):
            return scored(self, 1.0, "as expected", threshold=1.0, evidence=evidence)
        is_closed = _is_closed(data[0]) if data is not None else _is_label(reference)
        if self.decides if self.decides is not None else is_closed and is_authors:
            how = "other JSON" if data is not None else "another text"
            reason = f"{how} than expected: {quoted(passage.text, 60)!r}, not {quoted(reference, 60)!r}"
            return scored(self, 0.0, reason, threshold=1.0, evidence=evidence)
        try:
            alike = chrf(passage.text, reference)
        except TooLongError as error:
            return unjudged(self, str(error))
        return scored(self, alike, f"not as expected word for word; similarity {alike:.2f}", evidence=evidence)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


def _data(reference: str) -> tuple[Any] | None:
    """Return the expected JSON: an object, a list, a number or a boolean; ``None`` for other texts."""
    try:
        data = json.loads(reference)
    except (ValueError, RecursionError):
        return None
    return (data,) if isinstance(data, (dict, list, int, float, bool)) else None


def _has(answer: str, wanted: Any) -> bool:
    try:
        return any(_same(value, wanted) for value in candidates(answer))
    except NotJsonError:
        return False


def _same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal; true is not 1, and texts are compared without regard to white space."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_same(left, right) for left, right in zip(one, other, strict=True))
    if isinstance(one, str) and isinstance(other, str):
        return _plain(one) == _plain(other)
    return bool(one == other)


def _is_closed(data: Any) -> bool:
    """Whether JSON has only values that cannot be said in other words."""
    if isinstance(data, dict):
        return all(_is_closed(value) for value in data.values())
    if isinstance(data, list):
        return all(_is_closed(value) for value in data)
    return not isinstance(data, str) or _is_label(data)


def _is_label(text: str) -> bool:
    plain = _plain(text)
    return len(plain) <= _LABEL_CHARACTERS and len(plain.split()) <= _LABEL_WORDS and "\n" not in text.strip()
