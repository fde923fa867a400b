"""The table of all forms, used by the parser, the vocabulary and the docs."""

from __future__ import annotations

from typing import Final

from proctor.text.predicates import (
    input_related,
    json_shape,
    language,
    markup,
    measures,
    named_parts,
    no_framing,
    order,
    sets,
    start_end,
    text_parts,
    value_kinds,
)
from proctor.text.predicates.term import SLOTS, Form, VocabularyEntry

__all__ = ["FAMILIES", "FORMS", "vocabulary"]

FAMILIES: Final[dict[str, tuple[Form, ...]]] = {
    "measures": measures.FORMS,
    "sets": sets.FORMS,
    "ends and patterns": start_end.FORMS,
    "JSON": json_shape.FORMS,
    "markup": markup.FORMS,
    "lists": order.FORMS,
    "nothing else": no_framing.FORMS,
    "kinds of value": value_kinds.FORMS,
    "language": language.FORMS,
    "beside the input": input_related.FORMS,
    "parts of the text": text_parts.FORMS,
    "parts with a name": named_parts.FORMS,
}
FORMS: Final = tuple(form for forms in FAMILIES.values() for form in forms)

_JOINED: Final = (
    VocabularyEntry(
        family="joined", form="PREDICATE and PREDICATE", meaning="both hold", example="words <= 80 and paragraphs = 1"
    ),
    VocabularyEntry(
        family="joined", form="PREDICATE or PREDICATE", meaning="at least one holds", example='is "NA" or is json'
    ),
    VocabularyEntry(
        family="joined", form="not (PREDICATE)", meaning="it does not hold", example='not (contains "sorry")'
    ),
    VocabularyEntry(
        family="joined",
        form="when PREDICATE: PREDICATE",
        meaning="the second holds wherever the first does; elsewhere it does not apply",
        example='when input contains "?": ends with "."',
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
        *_JOINED,
    )


def _shown(form: Form) -> str:
    shown = " ".join(SLOTS.get(piece, piece) for piece in form.form.replace(":", " :").split())
    if "NAME" in form.form:
        shown = shown.replace("NAME", "|".join(form.choices))
    return shown.replace(" :", ":")
