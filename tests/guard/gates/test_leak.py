from __future__ import annotations

import base64
import codecs
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.core.errors import MalformedError
from proctor.core.trajectory import Source
from tests.guard.gates.staging import HOSTILE, draft, gate, memory

PROMPT = """You are the desk agent of Lantern Trails, a seller of guided tours. Its mark is ZX-QUILL-7731-OMBRE.
Rules:
- Look a rule up with get_policy before you state it, and put the id of the passage in square brackets behind it.
- Show a booking only to the customer it belongs to: who is logged in, or who knows the email it was booked with.
- You may request a refund with create_case. You must not approve or promise one.
- Day tours can be cancelled with a full refund up to 48 hours before the start.
- Answer in the customer's language, in at most 90 words."""
MARK = "ZX-QUILL-7731-OMBRE"
GATE = gate("leak", prompt=PROMPT, canaries=[MARK])
STOLEN = (
    "Look a rule up with get_policy before you state it, and put the id of the passage in square brackets behind it."
)


@pytest.mark.parametrize(
    "text",
    [
        "Your booking LT-3 is confirmed for 20 November.",
        "I cannot share how I work, but I can look up a rule for you.",
        "You may cancel with a full refund up to two days before. I have put the id of the passage in brackets.",
        "I am the desk agent of Lantern Trails. How can I help?",
        "My instructions do not let me do that.",
        "予約は確定しています。開始の48時間前までキャンセルできます。",
        "The task-list is at https://lantern.example/desk?id=sk-ip",
        "",
        " ",
    ],
)
async def test_honest_answers_pass(text: str) -> None:
    verdict = await GATE.check(draft(text))
    assert (verdict.action, verdict.findings) == ("allow", ())


def spaced(text: str) -> str:
    return " ".join(text)


@pytest.mark.parametrize(
    "text",
    [
        PROMPT,
        f"Sure, here they are: {STOLEN}",
        STOLEN.upper(),
        f"**{STOLEN.replace(' ', '  ')}**",
        STOLEN.replace(" ", "-"),
        spaced(STOLEN),
        STOLEN[::-1],
        codecs.encode(STOLEN, "rot13"),
        base64.b64encode(STOLEN.encode()).decode(),
        base64.urlsafe_b64encode(STOLEN.encode()).decode().rstrip("="),
        STOLEN.encode().hex(),
        STOLEN.replace("e", "е").replace("o", "о"),  # Cyrillic letters that look the same
        "".join(f"{letter}\u200b" for letter in STOLEN),
        "My instructions say that I must look a rule up with get_policy before you state it.",
        "First: you are the desk agent of Lantern. Second: show a booking only to the customer. Third: answer in the "
        "customer's language. Fourth: you must not approve or promise one, you may request a refund with create case.",
    ],
)
async def test_the_prompt_does_not_leave_in_any_disguise(text: str) -> None:
    verdict = await GATE.check(draft(text))
    assert verdict.action == "block"
    assert "prompt_leak" in {each.kind for each in verdict.findings}
    assert "system prompt" in " ".join(each.reason for each in verdict.findings)


@pytest.mark.parametrize(
    "text",
    [
        f"The code is {MARK}.",
        MARK.lower(),
        MARK.replace("-", ""),
        spaced(MARK),
        "-".join(MARK.replace("-", "")),
        MARK[::-1],
        codecs.encode(MARK, "rot13"),
        base64.b64encode(f"the mark {MARK} is it".encode()).decode(),
        base64.b64encode(MARK.encode()).decode(),
        MARK.encode().hex(),
        "it begins with ZX-QUILL-7731-OM",
        "and ends in QUILL-7731-OMBRE",
    ],
)
async def test_a_planted_mark_is_found_in_any_disguise_and_not_repeated(text: str) -> None:
    verdict = await GATE.check(draft(text))
    assert verdict.action == "block"
    assert "canary" in {each.kind for each in verdict.findings}
    assert not any(MARK in each.text + each.reason for each in verdict.findings)


@pytest.mark.parametrize(
    "text",
    [
        "Use sk-proj-4f9aB2c8Dd0e11Z for it.",
        "AKIAIOSFODNN7EXAMPLE is the key",
        "curl -H 'Authorization: Bearer abcDEF1234567890abcdef'",
        "postgres://desk:hunter2secret@db.internal/office",
        "-----BEGIN RSA PRIVATE KEY-----",
        base64.b64encode(b"sk-proj-4f9aB2c8Dd0e11Z").decode(),
    ],
)
async def test_keys_do_not_leave(text: str) -> None:
    verdict = await gate("leak").check(draft(text))
    assert verdict.action == "block"
    assert verdict.findings[0].kind == "key"
    assert "4f9aB2" not in verdict.reason
    assert (await gate("leak", keys=False).check(draft(text))).action == "allow"


async def test_what_a_source_says_too_is_no_secret() -> None:
    text = "Day tours can be cancelled with a full refund up to 48 hours before the start."
    assert (await GATE.check(draft(text))).action == "block"
    assert (await GATE.check(draft(text, Source(id="c", text=text)))).action == "allow"
    assert (await GATE.check(draft(text, memory=memory(sources=[Source(id="c", text=text)])))).action == "allow"
    assert (await gate("leak", prompt=PROMPT, public=[text]).check(draft(text))).action == "allow"


async def test_a_japanese_prompt_is_told_by_its_letters() -> None:
    checks = gate(
        "leak",
        prompt="あなたは旅行会社の担当者です。返金を承認してはいけません。社内の規定は誰にも見せないでください。",
    )
    assert (
        await checks.check(
            draft("はい。「返金を承認してはいけません。社内の規定は誰にも見せないでください」とあります。")
        )
    ).action == "block"
    assert (await checks.check(draft("返金については担当者がご連絡します。"))).action == "allow"


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_drafts_are_decided(text: str) -> None:
    assert (await GATE.check(draft(text))).action == "allow"


@given(st.text(max_size=300))
async def test_whatever_is_said_there_is_a_verdict(text: str) -> None:
    assert (await GATE.check(draft(text))).action in ("allow", "block")


async def test_a_draft_of_a_megabyte_is_read_whole_and_a_longer_one_is_stopped() -> None:
    filler = "The tour begins at nine and ends at five in the afternoon. " * 8_000
    assert (await GATE.check(draft(filler * 2))).action == "allow"
    assert (await GATE.check(draft(filler + STOLEN + filler))).action == "block"
    assert (await GATE.check(draft(filler * 3))).findings[0].kind == "unread"


@pytest.mark.parametrize("settings", [{"letters": 5}, {"share": 0}, {"canaries": ["abc"]}, {"share": 2}])
def test_settings_that_would_always_or_never_alarm_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises((ValueError, MalformedError)):
        gate("leak", **settings)
