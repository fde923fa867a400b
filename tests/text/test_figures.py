from __future__ import annotations

from time import process_time

from proctor.text.figures import find_figures


def test_numbers_of_a_time_of_day_are_none_of_their_own() -> None:
    text = "From 9:30 to 17:45 we sold 5 kg, and at 6 pm 2 kg."
    assert [one.quote.strip() for one in find_figures(text)] == ["9:30", "17:45", "5 kg", "6 pm", "2 kg"]


def test_many_figures_of_a_long_text_take_linear_time() -> None:
    started = process_time()
    assert len(find_figures("at 09:30 we sold 5 kg. " * 8_000)) == 16_000
    assert process_time() - started < 5  # fifteen seconds, when each was compared with every time of day
