"""Words after which a person must take over: found in many languages, and not where they only sound so."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.lexicon.danger_sentences import BLIND, THANKS, WORKED_ON
from tests.tables import table

from proctor.lexicon.danger import DANGERS, dangers, without_set_phrases

_PAIRS = [(kind, sentence) for kind, (meant, _) in WORKED_ON.items() for sentence in meant]
_ONLY_SOUND_SO = [(kind, sentence) for kind, (_, not_meant) in WORKED_ON.items() for sentence in not_meant]


def _kinds(text: str) -> set[str]:
    return {found.kind for found in dangers(text)}


@table(("kind", "sentence"), _PAIRS)
def test_a_danger_is_found(kind: str, sentence: str) -> None:
    assert kind in _kinds(sentence)


@table(("kind", "sentence"), _ONLY_SOUND_SO)
def test_what_only_sounds_like_it_is_left_alone(kind: str, sentence: str) -> None:
    assert kind not in _kinds(sentence)


@table(
    ("kind", "least"),
    [("legal_threat", 0.6), ("media_complaint", 0.8), ("safety_incident", 0.9), ("self_harm", 0.95)],
)
def test_sentences_written_apart_are_found_by_their_words(kind: str, least: float) -> None:
    meant, not_meant = BLIND[kind]
    assert sum(kind in _kinds(sentence) for sentence in meant) / len(meant) >= least
    assert sum(kind in _kinds(sentence) for sentence in not_meant) <= 3


def test_every_kind_has_sentences() -> None:
    assert set(WORKED_ON) == set(BLIND) == set(DANGERS)
    assert all(len(meant) >= 40 and len(not_meant) >= 40 for meant, not_meant in WORKED_ON.values())


def test_the_place_is_where_the_words_stand() -> None:
    text = "Hello. Where is my order? My lawyer will be in touch."
    (found,) = dangers(text)
    assert text[found.start : found.end].startswith("My lawyer will")


def test_a_danger_beside_a_question_about_rules_counts() -> None:
    assert _kinds("Does the insurance cover a hospital? The charger caught fire.") == {"safety_incident"}


def test_several_dangers_are_each_told_once() -> None:
    found = list(dangers("My lawyer will sue you. I will sue you and go to the press. The press will love it."))
    assert sorted(each.kind for each in found) == ["legal_threat", "media_complaint"]


def test_the_guards_of_a_sentence_do_not_reach_the_next() -> None:
    assert _kinds("Do you have tickets for Suicide Squad? I want to kill myself.") == {"self_harm"}


@given(st.text(max_size=400))
def test_no_text_breaks_it(text: str) -> None:
    for found in dangers(text):
        assert 0 <= found.start < found.end <= len(text)


def test_a_very_long_text_is_read_to_its_limit() -> None:
    assert _kinds("word " * 15_000 + "I will sue you") == {"legal_threat"}
    assert _kinds("a" * 200_000) == set()


@table("text", THANKS)
def test_thanks_and_honest_promises_are_not_left_to_the_classifier(text: str) -> None:
    assert not any(map(str.isalpha, without_set_phrases(text)))


@table(
    "text",
    [
        "Merci pour tout. Adieu, je n'en peux plus de vivre.",
        "Je vous promets que mon avocat va vous écrire.",
        "Promis, je raconte tout à la presse.",
        "Merci, mais je vais porter plainte demain.",
        "今までありがとうございました。もう生きていたくありません。",
        "必ず訴えます。約束します。",
        "弁護士からすぐに連絡します。",
        "ありがとうございました。さようなら、もう消えたいです。",
        "Danke für alles, ich will nicht mehr leben.",
        "Gracias por todo, no quiero seguir viviendo.",
        "すぐに消費者センターに連絡します。",
        "Je vous remercie, la batterie a pris feu et mon fils est blessé.",
        "Merci pour tout.",
        "今までありがとうございました。",
        "Danke für alles.",
        "Gracias por todo.",
        "Parfait, je note votre refus, il figurera au dossier.",
    ],
)
def test_thanks_that_may_be_a_farewell_are(text: str) -> None:
    assert any(map(str.isalpha, without_set_phrases(text)))
