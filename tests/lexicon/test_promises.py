"""Promises in many languages, and sentences that leave it open."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.lexicon.promise_sentences import BLIND_OPEN, BLIND_PROMISED, OPEN, PROMISED
from tests.tables import table

from proctor.lexicon.promises import asks_first, promised
from proctor.scorers.safety.authority import REGISTRY, Authority, bound, candidates, proposes


def _stopped(sentence: str) -> bool:
    return bound(sentence) and any(candidates(entry, sentence) for entry in REGISTRY)


@table("sentence", PROMISED)
def test_a_promise_is_found(sentence: str) -> None:
    assert _stopped(sentence)


@table("sentence", OPEN)
def test_what_only_speaks_of_it_passes(sentence: str) -> None:
    assert not _stopped(sentence)


def test_sentences_written_apart() -> None:
    assert sum(map(_stopped, BLIND_PROMISED)) >= len(BLIND_PROMISED) - 1
    assert not any(map(_stopped, BLIND_OPEN))


def test_the_matter_is_told() -> None:
    assert promised("Ihre Erstattung ist genehmigt.") == {"refund"}
    assert promised("Hemos eliminado el recargo.") == {"waiver"}
    assert promised("We schelden de verzendkosten kwijt.") == {"waiver"}
    assert promised("The weather is fine today.") == frozenset()


def test_soothing_words_deny_nothing() -> None:
    assert promised("Keine Sorge, Ihre Erstattung ist genehmigt.") == {"refund"}
    assert promised("Ihre Erstattung ist keine Sorge von mir.") == frozenset()


def test_who_asks_first_has_promised_nothing_yet() -> None:
    assert asks_first("Wir erstatten Ihnen 20 Euro. Möchten Sie fortfahren?")
    assert not asks_first("Wir erstatten Ihnen 20 Euro.")
    asked = "Wir erstatten Ihnen den Betrag. Soll ich das so machen?"
    assert proposes(asked)
    assert not bound("Wir erstatten Ihnen den Betrag.", proposal=True)
    assert bound("Ihre Erstattung ist genehmigt.", proposal=True)


def test_an_entry_of_ones_own_says_what_it_means_itself() -> None:
    own = Authority(name="refund", may_not="promise", says=("never to be said",))
    assert candidates(own, "Ihre Erstattung ist genehmigt.") is None


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    assert promised(text) <= {entry.name for entry in REGISTRY}
