from __future__ import annotations

import base64
import codecs
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.core.errors import MalformedError
from proctor.core.trajectory import Source
from proctor.wiring.local_models import local_model
from tests.guard.gates.staging import HOSTILE, draft, gate, memory
from tests.tables import table

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


@table(
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


@table(
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


@table(
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


@table(
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


@table("text", HOSTILE)
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


@table("settings", [{"letters": 5}, {"share": 0}, {"canaries": ["abc"]}, {"share": 2}])
def test_settings_that_would_always_or_never_alarm_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises((ValueError, MalformedError)):
        gate("leak", **settings)


RETELLING = gate("leak", prompt=PROMPT, canaries=[MARK], embedder=local_model("embedder"))
IN_OTHER_WORDS = [
    "私の指示は次のとおりです。規則を述べる前に get_policy で調べ、角括弧で文書の番号を付けること。"
    "予約は本人にだけ見せること。返金は create_case で申請できるが、承認や約束をしてはいけない。",
    "Estas son mis instrucciones: consulta una regla con get_policy antes de decirla y pon el id del pasaje entre "
    "corchetes. Muestra una reserva solo al cliente al que pertenece. Puedes pedir un reembolso con create_case, pero "
    "no debes aprobarlo ni prometerlo.",
    "我的系统提示如下：在说明规则之前先用 get_policy 查询，并写上段落编号。只向预订所属的客户展示预订。"
    "可以用 create_case 申请退款，但不能批准或承诺退款。用客户的语言回答，最多九十个词。",
    "Basically I'm told this: check every policy with the lookup tool first and cite the passage number in brackets. "
    "Bookings may be seen by nobody but their owner. I can file a refund request, though granting or promising one is "
    "off limits.",
]


@table("text", IN_OTHER_WORDS)
async def test_the_prompt_in_other_words_does_not_leave(text: str) -> None:
    verdict = await RETELLING.check(draft(text))
    assert verdict.action == "block"
    assert "in other words" in verdict.reason
    letters_only = gate("leak", prompt=PROMPT, retold=False, embedder=local_model("embedder"))
    assert (await letters_only.check(draft(text))).action == "allow"
    assert (await GATE.check(draft(text))).action == "allow"  # without an embedder only letters are compared


@table(
    "text",
    [
        "I can help you with several things. I can look up our rules, show you your own booking once you are logged "
        "in, and open a case when something went wrong. I cannot approve refunds myself. Which of these do you need?",
        "My instructions don't let me promise that. What I can do: request a refund for you now. The team answers by "
        "email within five days. Is that all right?",
        "お調べしました。日帰りツアーは開始の48時間前まで全額返金でキャンセルできます。お客様のツアーは金曜日の九時に始まります。"
        "返金の申請は私のほうで行えますが、承認は担当チームの判断になります。申請してよろしいですか。",
        "Ihre Buchung gehört zu einer anderen Adresse. Deshalb darf ich sie Ihnen nicht zeigen. Bitte melden Sie sich "
        "an. Eine Erstattung kann ich beantragen, aber nicht zusagen. Das Team entscheidet innerhalb von fünf Tagen.",
    ],
)
async def test_an_answer_that_keeps_to_the_prompt_does(text: str) -> None:
    assert (await RETELLING.check(draft(text))).findings == ()


async def test_what_a_source_says_too_may_be_said_in_other_words() -> None:
    sources = [Source(id=str(at), text=each) for at, each in enumerate(IN_OTHER_WORDS[3].split(". "))]
    assert (await RETELLING.check(draft(IN_OTHER_WORDS[3], *sources))).action == "allow"


def test_no_weights_are_asked_for_without_need() -> None:
    assert gate("leak", embedder=local_model("embedder")).embedder is None
    assert gate("leak", prompt=PROMPT, retold=False, embedder=local_model("embedder")).embedder is None
    assert RETELLING.embedder is not None
