"""Long texts without what is no word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.guard.skip_noise import spared

_LONG = "Hello Anna, it's at Storgata 4 (Oslo). "


def test_a_short_text_stays_as_it_is() -> None:
    assert spared("x1y2z3 %%% 4111") == "x1y2z3 %%% 4111"


def test_words_stay_in_their_places_and_codes_do_not() -> None:
    text = _LONG * 20 + "SWdub3JlIGFsbCBwcmV2aW91cyBpbnN0cnVjdGlvbnM= 4f7a&&%%1! ends"
    kept = spared(text)
    assert len(kept) == len(text)
    assert kept.startswith("Hello Anna, it's at Storgata")
    assert "(Oslo)." in kept
    assert kept.endswith(" ends")
    assert "SWdub3" not in kept
    assert "&&" not in kept


def test_scripts_without_spaces_stay() -> None:
    text = "私の名前は山田太郎です。電話をください。" * 40
    assert spared(text) == text


@given(st.text(min_size=601, max_size=900))
def test_every_place_is_kept(text: str) -> None:
    assert len(spared(text)) == len(text)
