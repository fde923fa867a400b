"""Words, phrases and patterns that must not pass."""

from __future__ import annotations

import base64

import pytest

from proctor.core.verdict import Verdict
from proctor.guard.edits import apply
from proctor.guard.gates.banned import Banned
from proctor.guard.step import Step
from tests.tables import table


async def _checked(gate: Banned, text: str) -> Verdict:
    return await gate.check(Step(point="output", text=text))


@table(
    "text",
    [
        "You idiot!",
        "IDIOT",
        "id\u200biot",
        "ｉｄｉｏｔ",
        "get free   money now",
        "read " + base64.b64encode(b"you are such an idiot today").decode(),
        "buy at acme-corp",
        "这个马鹿",
    ],
)
async def test_what_is_banned_is_blocked(text: str) -> None:
    gate = Banned(words=("idiot", "free money", "马鹿"), patterns=(r"\bacme[- ]?corp\b",))
    verdict = await _checked(gate, text)
    assert verdict.action == "block"
    assert verdict.findings[0].kind == "banned"
    assert "banned" in verdict.reason


@table("text", ["idiotic", "freedom and money", "", "all fine"])
async def test_other_words_pass(text: str) -> None:
    assert (await _checked(Banned(words=("idiot", "free money")), text)).action == "allow"


async def test_words_can_be_replaced() -> None:
    text = "an idiot and an IDIOT"
    verdict = await _checked(Banned(words=("idiot",), action="redact", instead="***"), text)
    assert verdict.text == "an *** and an ***"
    assert apply(text, verdict.edits or ()) == verdict.text


async def test_words_with_signs_at_their_edges() -> None:
    gate = Banned(words=("C++", "$$$"))
    assert (await _checked(gate, "I like C++.")).action == "block"
    assert (await _checked(gate, "cheap $$$ here")).action == "block"


@table(
    ("settings", "message"),
    [
        ({}, "nothing is banned"),
        ({"words": (" ",)}, "is no word"),
        ({"patterns": (r"(a+)+\1b",)}, "too long on a hostile text"),
        ({"patterns": ("a*",)}, "matches the empty text"),
        ({"patterns": ("(",)}, "not a regular expression"),
    ],
)
def test_settings_are_checked(settings: dict[str, tuple[str, ...]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Banned(**settings)  # type: ignore[arg-type]


async def test_a_pattern_that_would_run_for_ever_is_answered_without_holding_the_interpreter() -> None:
    """Python's own engine would not come back from this text; nobody else could do anything meanwhile."""
    gate = Banned(patterns=(r"(?:a|a|aa)+\s+never", r"(x+x+)+y"))
    assert gate.is_quick
    text = "a" * 15_000 + "x" * 15_000
    assert (await _checked(gate, text)).action == "allow"
    assert (await _checked(gate, text + "y")).action == "block"


def test_a_pattern_that_needs_windows_is_not_asked_on_the_event_loop() -> None:
    assert Banned(words=("guaranteed",)).is_quick
    assert not Banned(patterns=(r"(\w)x\w*\1",)).is_quick


async def test_a_long_list_of_words_is_one_linear_pattern() -> None:
    gate = Banned(words=tuple(f"word{number} again" for number in range(2_000)))
    assert [each.engine for each in gate._search] == ["re2"]
    assert (await _checked(gate, "no word1999  again please")).action == "block"
    assert (await _checked(gate, "no sword1999 again please")).action == "allow"
