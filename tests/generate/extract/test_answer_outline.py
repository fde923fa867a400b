"""The parts of an answer that a prompt shows or names."""

from __future__ import annotations

from tests.tables import table

from proctor.generate.extract.answer_outline import OutlinePart, outline_of, section_names
from proctor.generate.extract.json_shape import shape_of
from proctor.generate.extract.statements import statements_of
from proctor.prompts.load import parse_prompt


def outline(text: str) -> dict[str, OutlinePart]:
    prompt = parse_prompt(text)
    statements = statements_of(prompt)
    found = outline_of(prompt.text, statements, shape_of(prompt.text, statements), (), html=False)
    return {part.name: part for part in found if part.kind != "place"}


@table(
    ("text", "forms"),
    [
        ("Geef de vertaling tussen <vertaling> en </vertaling>.", {'each "vertaling":'}),
        ("Answer in this shape:\n<verdict>...</verdict>\n<why>...</why>", {'each "verdict":', 'each "why":'}),
        ("Question: <question>{{q}}</question>\nAnswer briefly.", set()),  # it holds an input
        ("Write F: <front> and B: <back> for each card.", set()),  # places to fill in
        ("<rules>\nKeep it short, and never promise anything to anybody who asks for it, ever.\n</rules>", set()),
        ("Write one sentence in a section called SUMMARY.", {'section "SUMMARY":'}),
        ("Sotto COSA CAMBIA elenca da 3 a 6 punti.", {'section "COSA CAMBIA":'}),
        ("Props under EUR 200 are fine.", set()),
        ("Reply with two lines:\nREASON: <one sentence>\nSCORE: [0 to 5]", {'labelled "REASON":', 'labelled "SCORE":'}),
        (
            "Return a JSON object with these fields:\n- title: at most 8 words\n- tags: list of words",
            {'each json field "title":', 'each json field "tags":'},
        ),
    ],
)
def test_parts_have_the_beginning_of_their_predicates(text: str, forms: set[str]) -> None:
    assert {part.form for part in outline(text).values()} == forms


def test_a_field_that_is_shown_with_a_bracket_holds_a_list() -> None:
    found = outline('Return JSON:\n{"fixes": ["..."], "note": "..."}')
    assert found["fixes"].many
    assert not found["note"].many


def test_a_plural_field_is_named_by_one_of_its_things() -> None:
    assert outline('Return JSON:\n{"steps": [], "note": ""}')["steps"].named.search("no step has more")


def test_names_of_sections_stand_behind_their_noun() -> None:
    assert section_names('Write it into a section called "Next steps" and one titled RISKS.') == ["Next steps"]
    assert section_names("Unter der Überschrift RISIKEN stehen die Risiken.") == ["RISIKEN"]
