"""The rows of the entity tagger mark what they say they mark, and their sources are read as documented."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from training.entities import hand_written
from training.entity_public import held_out, labelled
from training.entity_rows import KINDS, Row, Span, marked, tidy
from training.entity_silver import silver
from training.entity_templates import lists, pieced, templated
from training.peer_entities import compared


def inside(row: Row) -> list[tuple[str, str]]:
    return [(row.text[start:end], kind) for start, end, kind in row.spans]


def sound(row: Row) -> bool:
    edges = [edge for start, end, _ in row.spans for edge in (start, end)]
    return edges == sorted(edges) and all(row.text[s:e].strip() == row.text[s:e] != "" for s, e, _ in row.spans)


def test_marks_become_spans() -> None:
    row = marked("Hi [[PERSON:Jane]] of [[ORG:A [B] Ltd]]!", "en", "x")
    assert row.text == "Hi Jane of A [B] Ltd!"
    assert inside(row) == [("Jane", "PERSON"), ("A [B] Ltd", "ORG")]
    assert json.loads(row.json())["spans"] == [[3, 7, "PERSON"], [11, 20, "ORG"]]


def test_parts_of_an_address_become_one() -> None:
    text = "to 12 Oak St, Leeds LS1 4AB, Bob in Rome"
    spans = [(3, 12, "ADDRESS"), (14, 19, "PLACE"), (20, 28, "ADDRESS"), (29, 32, "PERSON"), (36, 40, "PLACE")]
    assert [text[s:e] for s, e, _ in tidy(text, spans)] == ["12 Oak St, Leeds LS1 4AB", "Bob", "Rome"]


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_templates_give_sound_rows_and_the_same_each_time(lang: str) -> None:
    made = list(templated(lang, 600))
    assert made == list(templated(lang, 600))
    assert all(sound(row) for row in made)
    assert {kind for row in made for _, _, kind in row.spans} == set(KINDS)
    assert sum(not row.spans for row in made) > 60
    assert not any("{PERSON}" in row.text or "{ADDRESS}" in row.text for row in made)


def test_a_form_in_json_keeps_its_braces() -> None:
    assert pieced('{"name": "{PERSON}"}') == ['{"name": "', "PERSON", '"}']


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_hand_written_messages_agree_with_their_file_and_with_no_list(lang: str) -> None:
    made = list(hand_written(lang))
    folder = Path(__file__).parents[2] / "training" / "written" / "entities"
    kept = (folder / f"heldout.{lang}.jsonl").read_text(encoding="utf-8").splitlines()
    assert [row.json() for row in made] == kept
    assert len(made) == 150
    assert 45 <= sum(not row.spans for row in made) <= 55
    assert all(sound(row) for row in made)
    listed = {name for section in ("first", "last", "place", "org") for name in lists(lang)[section]}
    assert not {text for row in made for text, _ in inside(row)} & listed


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for name in ("presidio_research", "pii_nano", "contextual_anon"):
        (tmp_path / "pii" / name).mkdir(parents=True)
    span = {"entity_type": "PERSON", "entity_value": "Ann", "start_position": 5, "end_position": 8}
    good = {"full_text": "I am Ann", "masked": "I am {{first_name}}", "spans": [span]}
    bad = {**good, "spans": [{**span, "start_position": 4}]}
    twins = [
        {"context": "Call Ann Lee at Foo Bank Ltd", "anonymized_context": "Call [NAME_1] at [NAME_2]"},
        {"context": "Call Ann, yes Ann", "anonymized_context": "Call [NAME_1], yes Ann"},
        {"context": "Call Ann", "anonymized_context": "Ring [NAME_1]"},
    ]
    files = {
        "presidio_research/generated_large": [good, bad],
        "presidio_research/synth_dataset_v2": [],
        "pii_nano/pii_syn_nano_en": [
            {"text": "Bob at Initech", "NER": [{"entity": "Initech", "label": "ORG"}, {"entity": "1", "label": "SSN"}]},
            {"text": "Bob and Bob", "NER": [{"entity": "Bob", "label": "PERSON"}]},
        ],
        "contextual_anon/synthetic_data": {"data": twins},
    }
    for name, content in files.items():
        (tmp_path / "pii" / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return tmp_path


def test_public_rows_are_mapped_and_those_that_do_not_fit_are_dropped(data: Path) -> None:
    found = list(labelled(data))
    assert [(row.src, inside(row)) for row, _ in found] == [
        ("presidio", [("Ann", "PERSON")]),
        ("pii_nano", [("Initech", "ORG")]),
        ("contextual", [("Ann Lee", "PERSON"), ("Foo Bank Ltd", "ORG")]),
    ]
    assert [template for _, template in found] == ["i am {}", "", ""]


def test_a_tenth_of_the_templates_is_held_out() -> None:
    kept = [held_out(f"template {number} {{}}") for number in range(2000)]
    assert 150 < sum(kept) < 250
    assert not held_out("")


def test_silver_rows_that_look_wrong_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    room = "training.entity_silver"
    texts = [("mnli", "Zed met Ann in Rome today."), ("mnli", "The ATM ate it."), ("support", "Furious am I.")]
    monkeypatch.setattr(f"{room}._english", lambda *_: texts)
    monkeypatch.setattr(f"{room}._japanese", lambda *_: [("pawsx", "東は山。")])
    told: list[list[Span]] = [[(0, 3, "PERSON"), (15, 19, "PLACE")], [(4, 7, "ORG")], [(0, 7, "PERSON")]]

    def english(_texts: Sequence[str]) -> Iterator[list[Span]]:
        return iter(told)

    def japanese(_texts: Sequence[str]) -> Iterator[list[Span]]:
        return iter([[(0, 1, "PLACE")]])

    found = list(silver(None, random.Random(0), english, japanese))
    assert {row.text.lower() for row in found} == {texts[0][1].lower()}


def test_figures_count_exact_and_overlapping_spans() -> None:
    gold: list[list[Span]] = [[(0, 4, "PERSON"), (10, 14, "PLACE")], [], []]
    found: list[list[Span]] = [[(0, 4, "PERSON"), (10, 12, "PLACE"), (20, 22, "ORG")], [(1, 2, "ORG")], []]
    figures = compared(gold, found)
    assert figures.exact["PERSON"] == 1
    assert figures.exact["PLACE"] == 0
    assert figures.overlap["PLACE"] == 1
    assert figures.exact["ADDRESS"] is None
    assert figures.overlap["all"] == pytest.approx(2 * 2 / (2 + 4))
    assert figures.touched == 1
    assert figures.false_alarms == 0.5
