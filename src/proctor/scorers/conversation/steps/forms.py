"""The table of all forms, used by the parser, the vocabulary and the docs."""

from __future__ import annotations

from typing import Final

from proctor.scorers.conversation.steps import counts, order, words
from proctor.scorers.conversation.steps.selector import NOUNS, QUALIFIERS
from proctor.scorers.conversation.steps.term import StepForm
from proctor.text.predicates import VocabularyEntry

__all__ = ["FAMILIES", "FORMS", "SLOTS", "vocabulary"]

FAMILIES: Final[dict[str, tuple[StepForm, ...]]] = {
    "order": order.FORMS,
    "counts": counts.FORMS,
    "words": words.FORMS,
}
FORMS: Final = tuple(form for forms in FAMILIES.values() for form in forms)
# Display names of a form's slots.
SLOTS: Final = {"A": "STEP", "B": "STEP", "BOUND": "OP N", "TEXTS": '"a", "b"', "PRED": "PREDICATE"}

_JOINED: Final = (
    ("RULE and RULE", "both hold", "get_policy before answer and search happens <= 3 times"),
    ("RULE or RULE", "at least one holds", "create_case happens or hand-off happens"),
    ("not (RULE)", "it does not hold", "not (hand-off happens)"),
    (
        "when RULE: RULE",
        "the second holds in every conversation in which the first does",
        'when "complaint" happens: create_case happens',
    ),
)


def vocabulary() -> tuple[VocabularyEntry, ...]:
    """Return every form with its meaning and an example that parses."""
    return (
        *(
            VocabularyEntry(
                family=family, form=_shown(form), meaning=form.meaning, example=form.example, options=form.options
            )
            for family, forms in FAMILIES.items()
            for form in forms
        ),
        *(
            VocabularyEntry(family="steps", form=noun, meaning=what, example=f"{noun} happens")
            for noun, (what, _) in NOUNS.items()
        ),
        *(
            VocabularyEntry(family="steps", form=form, meaning=what, example=example)
            for form, what, example in QUALIFIERS
        ),
        *(
            VocabularyEntry(family="joined", form=form, meaning=what, example=example)
            for form, what, example in _JOINED
        ),
    )


def _shown(form: StepForm) -> str:
    shown = " ".join(SLOTS.get(piece, piece) for piece in form.form.replace(":", " :").split()).replace(" :", ":")
    shown += ' [for each "argument"]' if form.each else ""
    return shown + (' [for the same "argument"]' if form.same else "")
