"""What holds for every text."""

from __future__ import annotations

import unicodedata

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.profiles import examples
from tests.text.normalise.encoders import CASELESS, ENCODERS

from proctor.text.normalise import normalise, views
from proctor.text.normalise.characters import SPECIAL

ANY = st.text(st.characters(exclude_categories=()), max_size=200)  # lone surrogates too
ODD = st.text(
    st.sampled_from(
        "abcIZ019 .-=%&\\#;x/+_\n\t\u200b\u200c\u200d\u202e\u202c\ufe0f\ufe01\U000e0061\U000e0141\u0301\u0336"
        "\u0440аеоΑν\u3099ｶﾞﬁ㌔👨👩🏴🇫🇷🅰\U000e007f\ud83d\ude00\x00\x1b["
    ),
    max_size=120,
)
SHORT = ["all", "and", "the", "to", "me", "then", "with", "you", "this", "from", "before", "every"]
LONG = ["please", "ignore", "previous", "instructions", "reveal", "system", "prompt", "secret", "account", "password"]
SENTENCE = st.builds(
    lambda short, long, source: " ".join(source.sample(short + long, len(short) + len(long))).capitalize(),
    st.lists(st.sampled_from(SHORT), max_size=6, unique=True),
    st.lists(st.sampled_from(LONG), min_size=4, unique=True),
    st.randoms(use_true_random=False),
)


@settings(max_examples=examples(150))
@given(ANY | ODD)
def test_the_map_is_in_order_and_in_range(text: str) -> None:
    result = normalise(text)
    starts, ends = list(result.offsets.starts), list(result.offsets.ends)
    assert len(starts) == len(ends) == len(result.plain)
    assert starts == sorted(starts)
    assert ends == sorted(ends)
    assert all(0 <= start < end <= len(text) for start, end in zip(starts, ends, strict=True))


@settings(max_examples=examples(150))
@given(ANY | ODD)
def test_plain_text_stays_plain(text: str) -> None:
    plain = normalise(text).plain
    assert normalise(plain).plain == plain or not plain.isascii()


@settings(max_examples=examples(150))
@given(st.text(max_size=200))
def test_without_disguises_it_is_nfkc(text: str) -> None:
    kept = "\ufdfa\ufdfb\u03f2\u03f9"
    if SPECIAL.search(text) or any(c in kept for c in text):
        return
    result = normalise(text)
    if not {signal.kind for signal in result.signals} & {"confusable", "combining"}:
        assert result.plain == unicodedata.normalize("NFKC", text)


@settings(max_examples=examples(150))
@given(ANY | ODD)
def test_views_are_bounded_and_in_range(text: str) -> None:
    found = views(text)
    assert len(found) <= 24
    for view in found:
        assert 1 <= len(view.kinds) <= 3
        assert len(view.offsets) == len(view.text)
        assert all(0 <= s <= e <= len(text) for s, e in zip(view.offsets.starts, view.offsets.ends, strict=True))


@settings(max_examples=examples(60))
@given(SENTENCE, st.sampled_from(sorted(ENCODERS)))
def test_what_was_encoded_is_decoded(sentence: str, name: str) -> None:
    # two letters alone in base64 are four that may be any code
    assume(name != "base64 by word" or min(map(len, sentence.split())) > 2)
    encoded = ENCODERS[name](sentence)
    assert sentence in [normalise(encoded).plain, *(view.text for view in views(encoded))]


@settings(max_examples=examples(40))
@given(SENTENCE, st.sampled_from(["leet", "morse", "braille", "small capitals", "negative squares", "accents"]))
def test_what_was_encoded_without_case_is_decoded(sentence: str, name: str) -> None:
    encoded = CASELESS[name](sentence)
    found = [normalise(encoded).plain, *(view.text for view in views(encoded))]
    assert sentence.lower() in [reading.lower() for reading in found]


@settings(max_examples=examples(40))
@given(SENTENCE, st.sampled_from(["base64", "hex", "percent", "html decimal", "rot13", "reversed", "tags"]))
def test_the_way_back_leads_to_the_encoded_part(sentence: str, name: str) -> None:
    before, after = "Hello there, my order is late. ", " Thank you very much for the help."
    hidden = ENCODERS[name](sentence)
    text = before + hidden + after
    if name == "reversed":  # a word of one or two letters at the edge cannot be told from its plain neighbours
        words = sentence.split()
        while words and len(words[0]) <= 2:
            words.pop(0)
        while words and len(words[-1]) <= 2:
            words.pop()
        sentence = " ".join(words)
        assume(len(words) > 3)
    spans = [view.span(at, at + len(sentence)) for view in views(text) if (at := view.text.find(sentence)) >= 0]
    assert spans
    start, end = spans[0]
    assert len(before) <= start
    assert end <= len(before) + len(hidden)
    assert end - start >= len(ENCODERS[name](sentence)) - 2
