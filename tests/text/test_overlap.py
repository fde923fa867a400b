"""ROUGE-L, BLEU and chrF against the libraries that define them."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.lazy_module import lazy_module
from tests.profiles import examples
from tests.tables import table

from proctor.text import overlap
from proctor.text.overlap import TooLongError, bleu, chrf, longest_common, rouge_l
from proctor.text.split import spread, tokens

sacrebleu = lazy_module("sacrebleu")
PAIRS = [
    ("The cat sat on the mat.", "The cat is sitting on the mat."),
    ("Our shop opens at 9:30, closes at 18:00 and is shut on Sundays.", "We open at 9:30 and close at 18:00."),
    ("It costs $1,299.00 (incl. VAT) &amp; ships in 2-3 days!", "It costs 1,299 dollars, ships in 2-3 days."),
    ("yes", "yes"),
    ("yes", "no"),
    ("a", "a b c d e f"),
    ("a b c d e f g", "g f e d c b a"),
    ("", "something"),
    ("word-\nbreak and\nlines", "wordbreak and lines"),
    ("a a a a a a", "a a"),
    ("Das Café öffnet um 9 Uhr.", "Um 9 Uhr öffnet das Café."),
    ('<skipped> it\'s "quoted" [text] {here}', "it's quoted text here"),
]
JAPANESE = [
    ("この漫画は全12巻で完結しています。", "この漫画は全部で12巻あり、完結済みです。"),
    ("在庫があります", "在庫はありません"),
    ("本日は晴天なり", "本日は晴天なり"),
    ("请在三天内付款", "请在五天之内完成付款"),
]
ASCII_TEXT = st.text(alphabet="ab c.,-9!'&\n$", max_size=40)
ANY_TEXT = st.text(max_size=40)


@cache
def _rouge() -> Any:
    """Import the oracle without nltk, which takes ten seconds and serves stems and paragraphs only."""
    unused = {name: ModuleType(name) for name in ("nltk", "nltk.stem", "nltk.stem.porter")}
    unused["nltk.stem"].porter = unused["nltk.stem.porter"]  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patch:
        for name, module in unused.items():
            patch.setitem(sys.modules, name, module)
        return import_module("rouge_score.rouge_scorer")


@table(("answer", "reference"), PAIRS)
def test_bleu_is_sacrebleus(answer: str, reference: str) -> None:
    assert bleu(answer, reference) == pytest.approx(sacrebleu.sentence_bleu(answer, [reference]).score / 100, abs=1e-9)


@table(("answer", "reference"), PAIRS + JAPANESE)
def test_chrf_is_sacrebleus(answer: str, reference: str) -> None:
    assert chrf(answer, reference) == pytest.approx(sacrebleu.sentence_chrf(answer, [reference]).score / 100, abs=1e-9)


@table(("answer", "reference"), [pair for pair in PAIRS if "".join(pair).isascii()])
def test_rouge_is_rouge_scores(answer: str, reference: str) -> None:
    oracle = _rouge().RougeScorer(["rougeL"], use_stemmer=False).score(reference, answer)["rougeL"].fmeasure
    assert rouge_l(answer, reference) == pytest.approx(oracle, abs=1e-12)


class OurTokens:
    def tokenize(self, text: str) -> list[str]:
        return tokens(text)


@table(("answer", "reference"), JAPANESE)
def test_rouge_of_japanese_takes_characters(answer: str, reference: str) -> None:
    oracle = _rouge().RougeScorer(["rougeL"], tokenizer=OurTokens()).score(reference, answer)["rougeL"].fmeasure
    assert rouge_l(answer, reference) == pytest.approx(oracle, abs=1e-12)
    assert rouge_l(answer, reference) > 0


@table(("answer", "reference"), JAPANESE + PAIRS[:3])
def test_bleu_by_characters_is_sacrebleus_char_tokeniser(answer: str, reference: str) -> None:
    oracle = sacrebleu.sentence_bleu(answer, [reference], tokenize="char").score / 100
    assert bleu(answer, reference, by_character=True) == pytest.approx(oracle, abs=1e-9)


@table(("answer", "reference"), JAPANESE)
def test_bleu_sets_the_letters_of_unspaced_scripts_apart(answer: str, reference: str) -> None:
    oracle = sacrebleu.sentence_bleu(spread(answer), [spread(reference)]).score / 100
    assert bleu(answer, reference) == pytest.approx(oracle, abs=1e-9)


@settings(max_examples=examples(150))
@given(ASCII_TEXT, ASCII_TEXT)
@example("a\x1cb", "a b")
def test_all_three_agree_with_their_oracles(answer: str, reference: str) -> None:
    assert bleu(answer, reference) == pytest.approx(sacrebleu.sentence_bleu(answer, [reference]).score / 100, abs=1e-9)
    assert chrf(answer, reference) == pytest.approx(sacrebleu.sentence_chrf(answer, [reference]).score / 100, abs=1e-9)
    oracle = _rouge().RougeScorer(["rougeL"]).score(reference, answer)["rougeL"].fmeasure
    assert rouge_l(answer, reference) == pytest.approx(oracle, abs=1e-12)


@settings(deadline=None)
@given(ANY_TEXT, ANY_TEXT)
def test_every_measure_is_a_share(answer: str, reference: str) -> None:
    for value in (rouge_l(answer, reference), bleu(answer, reference), chrf(answer, reference)):
        assert 0 <= value <= 1
    for measure in (rouge_l, bleu):
        assert 0 <= measure(answer, reference, by_character=True) <= 1


@settings(deadline=None)
@given(ANY_TEXT)
def test_a_text_overlaps_fully_with_itself(text: str) -> None:
    assert rouge_l(text, text) == pytest.approx(1 if tokens(text) else 0)
    assert chrf(text, text) == pytest.approx(1 if text.split() else 0)
    assert bleu(text, text, by_character=True) == pytest.approx(1 if text.split() else 0)


@settings(deadline=None)
@given(ANY_TEXT, ANY_TEXT)
def test_rouge_is_symmetric(one: str, other: str) -> None:
    assert rouge_l(one, other) == rouge_l(other, one)


@settings(deadline=None)
@given(st.lists(st.integers(0, 3), max_size=30), st.lists(st.integers(0, 3), max_size=30))
def test_the_longest_common_subsequence_is_the_tables(one: list[int], other: list[int]) -> None:
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, left in enumerate(one):
        for j, right in enumerate(other):
            table[i + 1][j + 1] = table[i][j] + 1 if left == right else max(table[i][j + 1], table[i + 1][j])
    assert longest_common(one, other) == table[-1][-1]


def test_texts_too_long_to_compare_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overlap, "MOST_CELLS", 100)
    monkeypatch.setattr(overlap, "MOST_GRAMS", 100)
    for measure in (rouge_l, bleu, chrf):
        with pytest.raises(TooLongError, match="too many"):
            measure("word " * 200, "other " * 200)


def test_a_long_answer_to_a_short_reference_is_measured() -> None:
    answer = "the right words are here " * 20_000
    assert 0 < rouge_l(answer, "the right words") < 0.01
    assert 0 < chrf(answer, "the right words") < 0.1
