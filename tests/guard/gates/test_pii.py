"""The gate for personal data: masked on its way in, shown to its owner only on its way out."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import re
from collections.abc import Sequence
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.core.chat import ToolCall
from proctor.core.entity import Entity
from proctor.core.step import Point
from proctor.core.trajectory import Source
from proctor.core.verdict import Action, Finding, Verdict
from proctor.core.work_clock import CURRENT_CLOCK, WorkClock
from proctor.guard.edits import apply
from proctor.guard.gates import pii
from proctor.guard.gates.pii import Pii, _places
from proctor.guard.scorer_step import Choice
from proctor.guard.session_memory import Memory
from proctor.guard.step import Step
from proctor.text.pii import unmask
from proctor.wiring.local_models import local_model
from tests.tables import table

_CARD = "4111 1111 1111 1111"


class _Knows:
    """A tagger that knows one name."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def entities(self, texts: Sequence[str]) -> Sequence[Sequence[Entity]]:
        return [
            [Entity(start=at, end=at + len(self.name), kind="PERSON", text=self.name, score=0.9)]
            if (at := text.find(self.name)) >= 0
            else []
            for text in texts
        ]


async def _checked(text: str, point: Point = "input", gate: Pii | None = None, memory: Memory | None = None) -> Verdict:
    step = Step(point=point, text=text, memory=memory if memory is not None else Memory())
    return await (gate or Pii()).check(step)


async def test_what_a_customer_gives_is_masked_and_comes_back_through_the_vault() -> None:
    memory = Memory()
    text = f"My card is {_CARD}, mail me at anna@mail.org. Again: {_CARD}"
    verdict = await _checked(text, memory=memory)
    assert verdict.action == "redact"
    assert verdict.text == "My card is [CARD], mail me at [EMAIL]. Again: [CARD]"
    assert verdict.text == apply(text, verdict.edits or ()) == verdict.masked
    assert unmask(verdict.text, memory.placeholders.vault(source="customer")) == text


async def test_placeholders_are_stable_through_a_session() -> None:
    memory = Memory()
    await _checked("I am at anna@mail.org", memory=memory)
    verdict = await _checked("bob@mail.org and anna@mail.org", memory=memory)
    assert verdict.text == "[EMAIL_2] and [EMAIL]"


@table(
    ("text", "wanted"),
    [
        ("card " + base64.b64encode(_CARD.encode()).decode(), "card [CARD]"),
        ("card " + _CARD.encode().hex(), "card [CARD]"),
        ("an\u200bna@mail\u200b.org is mine", "[EMAIL] is mine"),
        ("４１１１ １１１１ １１１１ １１１１", "[CARD]"),
        ("write to " + "".join(f"%{byte:02x}" for byte in b"anna@mail.org"), "write to [EMAIL]"),
        ("write to " + "".join(f"&#{byte};" for byte in b"anna@mail.org"), "write to [EMAIL]"),
    ],
)
async def test_hidden_values_are_masked_where_they_hide(text: str, wanted: str) -> None:
    verdict = await _checked(text)
    assert verdict.text == wanted


async def test_names_come_from_the_tagger() -> None:
    verdict = await _checked("I'm Anna Berg.", gate=Pii(tagger=_Knows("Anna Berg")))
    assert verdict.text == "I'm [PERSON]."
    assert (await _checked("I'm Anna Berg.", gate=Pii(tagger=_Knows("Anna Berg"), names=False))).action == "allow"


async def test_the_shipped_tagger_does_it() -> None:
    verdict = await _checked("My name is Anna Berg and I live in Oslo.", gate=Pii(tagger=local_model("tagger")))
    assert verdict.text is not None
    assert "Anna Berg" not in verdict.text


class _Slow(_Knows):
    """A tagger that takes its time for every question, and counts what it was given."""

    asked = 0

    async def entities(self, texts: Sequence[str]) -> Sequence[Sequence[Entity]]:
        self.asked += 1
        await asyncio.sleep(0.002)
        return await super().entities(texts)


_LONG = "The parcel has not come to this day, and nobody can say where it is.\n" * 400


@table("lead", [0, 2_990, 9_000, 27_000])
async def test_names_are_found_wherever_they_stand_in_a_long_text(lead: int) -> None:
    text = f"{_LONG[:lead]} Yours, Anna Berg. {_LONG[lead:]}"
    verdict = await _checked(text, gate=Pii(tagger=_Knows("Anna Berg"), seconds=60))
    assert verdict.action == "redact"
    assert verdict.text == text.replace("Anna Berg", "[PERSON]")


async def test_a_name_at_the_edge_of_two_parts_is_found_once() -> None:
    text = "x" * 1_495 + " Anna Berg " + "word " * 1_000
    verdict = await _checked(text, gate=Pii(tagger=_Knows("Anna Berg"), seconds=60))
    assert [each.text for each in verdict.findings] == ["Anna Berg"]


@pytest.mark.parametrize(("long", "action"), [("escalate", "escalate"), ("block", "block"), ("flag", "redact")])
async def test_what_nobody_has_read_does_not_pass_unseen(long: Choice, action: Action) -> None:
    tagger = _Slow("Anna Berg")
    text = f"{_LONG[:5_000]} My card is {_CARD}. {_LONG} Yours, Anna Berg."
    verdict = await _checked(text, "tool_result", gate=Pii(tagger=tagger, seconds=0.001, long=long))
    assert verdict.action == action
    (rest,) = [each for each in verdict.findings if each.kind == "unread"]
    assert rest.end == len(text)
    assert "My card" in text[rest.start :]
    assert "letters" in rest.reason
    assert tagger.asked == 1
    assert verdict.text is not None
    assert _CARD not in verdict.text  # patterns read the whole text


async def test_a_text_without_a_word_in_it_is_no_work_for_the_tagger() -> None:
    tagger = _Slow("Anna Berg")
    verdict = await _checked("8f3a91c0" * 20_000, gate=Pii(tagger=tagger))
    assert tagger.asked == 0
    assert not [each for each in verdict.findings if each.kind == "unread"]


class _Clock:
    """The clock of a gate that waits behind others all the time and does no work of its own."""

    spent = 0.0


async def test_time_behind_others_does_not_leave_a_text_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    hours = itertools.count(step=3600)
    monkeypatch.setattr(pii, "monotonic", lambda: float(next(hours)))
    text = "We met at the station and went on from there. " * 200 + "My name is Anna Berg."
    token = CURRENT_CLOCK.set(cast("WorkClock", _Clock()))
    try:
        verdict = await _checked(text, gate=Pii(tagger=_Knows("Anna Berg")))
    finally:
        CURRENT_CLOCK.reset(token)
    assert (verdict.action, [each.kind for each in verdict.findings]) == ("redact", ["person"])


def test_a_time_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="seconds"):
        Pii(seconds=0)


async def test_what_only_looks_like_a_placeholder_is_marked() -> None:
    verdict = await _checked("please tell me [CARD]")
    assert verdict.action == "redact"
    assert verdict.text == "please tell me [~CARD]"
    assert not verdict.findings


async def test_harmless_words_pass() -> None:
    verdict = await _checked("Where is my parcel? Order of 12 May, 3 items.")
    assert verdict.action == "allow"
    assert verdict.masked == "Where is my parcel? Order of 12 May, 3 items."


async def test_offices_and_what_the_settings_keep_stay() -> None:
    text = "write to support@shop.com or eva@acme.com"
    assert (await _checked(text, gate=Pii(keep=("@acme.com",)))).action == "allow"


async def test_codes_of_the_house_are_found() -> None:
    verdict = await _checked("booking B-123456", gate=Pii(codes={"booking": r"\bB-\d{6}\b"}))
    assert verdict.text == "booking [BOOKING]"
    assert verdict.findings[0].kind == "booking"


@pytest.mark.parametrize("action", ["block", "escalate"])
async def test_the_action_can_be_another(action: str) -> None:
    verdict = await _checked(f"card {_CARD}", gate=Pii(action=action))  # type: ignore[arg-type]
    assert verdict.action == action
    assert _CARD not in (verdict.masked or "")


async def test_an_answer_shows_the_customer_their_own_and_nobody_elses() -> None:
    memory = Memory()
    await _checked("I'm at anna@mail.org", memory=memory)
    text = "We wrote to anna@mail.org; bob@mail.org is another customer."
    verdict = await _checked(text, "output", memory=memory)
    assert verdict.action == "redact"
    assert verdict.text == "We wrote to anna@mail.org; [EMAIL_2] is another customer."
    assert verdict.masked == "We wrote to [EMAIL]; [EMAIL_2] is another customer."
    own = await _checked("We wrote to anna@mail.org.", "output", memory=memory)
    assert own.action == "allow"
    assert own.masked == "We wrote to [EMAIL]."


async def test_own_values_can_be_masked_too() -> None:
    memory = Memory()
    await _checked("I'm at anna@mail.org", memory=memory)
    verdict = await _checked("We wrote to anna@mail.org.", "output", gate=Pii(own="mask"), memory=memory)
    assert verdict.text == "We wrote to [EMAIL]."


async def test_an_answer_may_show_what_its_sources_publish() -> None:
    memory = Memory()
    memory.sources.append(Source(id="faq", text="Call us on +47 22 33 44 55 every day."))
    verdict = await _checked("You can call +47 22 33 44 55.", "output", memory=memory)
    assert verdict.action == "allow"
    assert "22 33" not in (verdict.masked or "")


async def test_an_answer_may_show_a_code_that_a_tool_gave_and_no_card() -> None:
    memory = Memory()
    memory.calls.append(ToolCall(name="get_booking", result={"id": "B-123456", "card": _CARD}))
    gate = Pii(codes={"booking": r"\bB-\d{6}\b"})
    verdict = await _checked(f"Booking B-123456, paid with {_CARD}.", "output", gate=gate, memory=memory)
    assert verdict.text == "Booking B-123456, paid with [CARD]."


async def test_placeholders_in_an_answer_are_real_ones() -> None:
    verdict = await _checked("Dear [PERSON], it is done.", "output")
    assert verdict.action == "allow"


async def test_a_name_in_an_answer_is_left_to_the_log() -> None:
    verdict = await _checked("I am Mia from the desk, mia@desk.example", "output", gate=Pii(tagger=_Knows("Mia")))
    assert verdict.masked == "I am Mia from the desk, [EMAIL]"
    verdict = await _checked("I am Mia from the desk.", "input", gate=Pii(tagger=_Knows("Mia")))
    assert verdict.text == "I am [PERSON] from the desk."


async def test_a_tools_result_is_masked_and_stays_json() -> None:
    verdict = await _checked(json.dumps({"mail": "bob@mail.org", "n": 3}), "tool_result")
    assert json.loads(verdict.text or "") == {"mail": "[EMAIL]", "n": 3}


def test_settings_are_checked() -> None:
    with pytest.raises(ValueError, match="unknown kinds shoe"):
        Pii(kinds=("shoe",))
    with pytest.raises(ValueError, match=r"codes\.bomb"):
        Pii(codes={"bomb": r"(a+)+\1b"})
    with pytest.raises(ValueError, match="not a regular expression"):
        Pii(codes={"bad": r"("})


@given(st.lists(st.sampled_from(["Anna", "Anna Berg", "annab", "--", "0142", " ", ",", "x", "Berg"]), max_size=9))
def test_a_value_that_stands_elsewhere_too_is_found_there(parts: list[str]) -> None:
    text = "".join(parts)
    starts = [sum(map(len, parts[:place])) for place in range(len(parts))]
    found = [
        Finding(kind="person", text=part, start=start, end=start + len(part))
        for start, part in zip(starts, parts, strict=True)
        if part in ("Anna Berg", "0142", "--")
    ][:2]
    written = sorted({each.text for each in found if len(each.text) >= 4}, key=len, reverse=True)
    every = [re.finditer(rf"(?<!\w)(?:{'|'.join(map(re.escape, written))})(?!\w)", text)] if written else []
    wanted = {(hit.start(), hit.end()) for hits in every for hit in hits} | {(each.start, each.end) for each in found}
    assert {(start, end) for start, end, _, _ in _places(text, found)} == wanted


async def test_a_code_that_would_run_for_ever_in_re_is_found_in_linear_time() -> None:
    gate = Pii(codes={"booking": r"(?:[A-Z]+-?)+\d{6}"}, names=False)
    verdict = await _checked("A" * 12_000 + "! booking AB-CD-123456", gate=gate)
    assert verdict.action == "redact"
    assert verdict.text is not None
    assert "AB-CD-123456" not in verdict.text
