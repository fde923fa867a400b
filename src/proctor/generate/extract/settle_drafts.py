"""Leave a rule to a judge, with the reason, where its predicate may fail a right answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from proctor.generate.extract.answer_outline import OutlinePart
from proctor.generate.extract.ban_doubts import doubt_of_ban
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.framed_answers import AnswerFrame, frame_of
from proctor.generate.extract.number_words import in_digits
from proctor.generate.extract.part_doubts import doubt_of_part, shown_part
from proctor.generate.extract.predicate_doubts import doubt_of
from proctor.generate.extract.prompt_scope import PromptScope
from proctor.generate.extract.statements import Statement
from proctor.generate.extract.whole_evidence import doubt_of_evidence

__all__ = ["PredicateDoubts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PredicateDoubts:
    """What is known of a prompt that may contradict a predicate; see the modules of the three kinds of doubt."""

    text: str
    statements: Sequence[Statement]
    made: Sequence[str]
    scope: PromptScope
    replies: Sequence[str]
    open_case: str
    outline: Sequence[OutlinePart] = ()
    part: str = field(init=False)
    frame: AnswerFrame = field(init=False)
    read: str = field(init=False)  # the prompt with its numbers in digits

    def __post_init__(self) -> None:
        named = next((each.name for each in self.outline if each.kind in ("tag", "label")), "")
        part = "" if self.scope.structured else shown_part(self.text, self.statements, self.scope) or named
        object.__setattr__(self, "part", part)
        object.__setattr__(self, "frame", frame_of(self.statements, self.made, self.scope.each[0]))
        object.__setattr__(self, "read", in_digits(self.text, self.scope.language))

    def settle(self, draft: Draft) -> Draft:
        """Return the rule, without its predicate if that is in doubt."""
        if not draft.predicate or draft.end == 0:
            return draft
        doubt = (
            doubt_of(
                draft,
                self.read,
                self.statements,
                self.made,
                self.open_case,
                self.scope.language,
                products=draft.counted or bool(self.scope.each[0]),
            )
            or doubt_of_ban(draft.predicate, self.text, draft.start, draft.end, self.replies)
            or (
                ""
                if draft.counted
                else doubt_of_part(draft.predicate, draft.start, draft.end, self.text, self.part, self.made)
            )
            or doubt_of_evidence(draft.predicate, self.text[draft.start : draft.end], self.statements, self.made)
        )
        if doubt:
            return replace(draft, predicate=None, note=f"left to a judge: {doubt}")
        loosened = self.frame.loosened(draft.predicate)
        if loosened is None:
            doubt = f"it may be for the body only, without {self.frame.named}"
            return replace(draft, predicate=None, note=f"left to a judge: {doubt}")
        return replace(draft, predicate=loosened) if loosened != draft.predicate else draft
