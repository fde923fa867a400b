from __future__ import annotations

from proctor.models.local.fluency import KINDS, LocalFluency

FLUENT = "You can collect the cake tomorrow between nine and one."
SALAD = "Cake tomorrow the one between collect and can nine you."


async def test_a_fluent_text_is_told_from_a_broken_one() -> None:
    good, bad = await LocalFluency().wording([FLUENT, SALAD])
    assert tuple(good.kinds) == KINDS
    assert abs(sum(good.kinds.values()) - 1) < 1e-6
    assert good.kinds["fluent"] > 0.7
    assert good.wrong == ()
    assert bad.kinds["order"] > 0.7
    assert bad.wrong


def test_a_long_text_is_read_in_windows_of_whole_sentences() -> None:
    reader = LocalFluency()
    text = " ".join(f"{FLUENT[:-1]} on day {day}." for day in range(30))
    windows = reader._windows(text)
    assert len(windows) > 3
    assert all(part.endswith(".") for _, _, part in windows)
    huge = reader.readings([text * 200])[0]
    assert abs(sum(huge.kinds.values()) - 1) < 1e-6


def test_nothing_has_no_wording() -> None:
    for text in ("", " \n\t", "\u200b"):
        assert set(LocalFluency().readings([text])[0].kinds.values()) == {0.0}
