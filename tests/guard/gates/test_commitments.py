from __future__ import annotations

from typing import Any

import pytest

from proctor.core.errors import ProctorError
from proctor.core.score import Score
from proctor.guard.gates.commitments import CommitmentsGate
from tests.guard.gates.staging import HOSTILE, done, draft, gate, memory
from tests.tables import table

GATE = gate("commitments", light=True)
CASE = done("create_case", {"case": "CS-1", "kind": "refund_request"}, kind="refund_request")


@table(
    "text",
    [
        "I have requested a refund for you under case CS-1. The refunds team decides about it.",
        "I cannot promise a refund, but I can start a refund request.",
        "Day tours can be cancelled with a full refund up to 48 hours before the start.",
        "Would you like me to request a refund?",
        "返金の申請を受け付けました。",
        "Ich habe Ihren Erstattungsantrag an unser Team weitergeleitet.",
        "Les remboursements sont approuvés par le service financier.",
        "आपका रिफंड अभी स्वीकृत नहीं हुआ है।",
        "The watch is guaranteed for two years.",
        "We waive the shipping fee on orders above $50.",
        "",
        " ",
    ],
)
async def test_what_the_agent_may_say_passes(text: str) -> None:
    verdict = await GATE.check(draft(text, memory=memory(CASE)))
    assert (verdict.action, verdict.findings) == ("allow", ())


@table(
    "text",
    [
        "Good news! I have approved your refund of 178.00 EUR.",
        "**Don't worry:** we will refund the full amount to your card today.",
        "返金を承認いたしました。",
        "Ihre Erstattung ist genehmigt.",
        "Votre remboursement est approuvé.",
        "आपका रिफंड स्वीकृत हो गया है।",
        "您的退款已批准。",
        "We waive the shipping fee.",
        "It is guaranteed to arrive tomorrow.",
        "You are guaranteed to get your money back.",
    ],
)
async def test_a_promise_beyond_the_agents_authority_goes_to_a_person(text: str) -> None:
    verdict = await GATE.check(draft(text, memory=memory(CASE)))
    assert verdict.action == "escalate"
    assert "commitment" in {each.kind for each in verdict.findings}
    first = verdict.findings[0]
    assert first.start is not None
    assert first.end is not None
    assert first.start < first.end <= len(text)
    assert first.text[:12] in text or "**" in text


async def test_a_confirmation_of_what_no_tool_did_is_stopped() -> None:
    text = "All done. Your booking LT-3 has been cancelled."
    verdict = await GATE.check(draft(text, memory=memory(done("get_booking", {"id": "LT-3", "status": "confirmed"}))))
    assert verdict.action == "escalate"
    (finding,) = verdict.findings
    assert (finding.kind, finding.severity) == ("unbacked_confirmation", "critical")
    assert text[finding.start : finding.end] == "Your booking LT-3 has been cancelled."
    blocks = gate("commitments", light=True, unbacked="block")
    assert (await blocks.check(draft(text, memory=memory()))).action == "block"
    did = done("cancel_booking", {"status": "cancelled"}, booking_id="LT-3")
    assert (await GATE.check(draft(text, memory=memory(did)))).action == "allow"


async def test_an_act_that_a_call_of_the_session_did_may_be_reported() -> None:
    text = "I am sorry for the trouble. I have opened case CS-1 for your complaint. A colleague will write to you."
    assert (await GATE.check(draft(text, memory=memory(CASE)))).action == "allow"
    assert (await GATE.check(draft(text, memory=memory(done("get_booking", {"id": "B-1"}))))).action == "escalate"


async def test_the_registry_and_what_is_granted_are_set_as_for_the_scorer() -> None:
    text = "I have approved your refund of 178.00 EUR."
    granted = gate("commitments", light=True, granted=["refund"], confirmations=False)
    assert (await granted.check(draft(text))).action == "allow"
    noted = await gate("commitments", light=True, action="flag", unbacked="flag").check(draft(text))
    assert noted.action == "allow"
    assert noted.findings


async def test_a_scorer_that_cannot_judge_is_the_gates_failure() -> None:
    class Broken:
        name, version, threshold, primary = "commitments", "1", 1.0, None

        async def score(self, case: Any, run: Any) -> Score:
            return Score(name="commitments", status="error", reason="the model is away")

    broken: Any = Broken()
    with pytest.raises(ProctorError, match="the model is away"):
        await CommitmentsGate(commitments=broken).check(draft("Hello there."))


@table("text", HOSTILE)
async def test_hostile_drafts_are_decided(text: str) -> None:
    assert (await GATE.check(draft(text, memory=memory(done("t", text))))).action in ("allow", "escalate")


async def test_a_draft_of_a_megabyte_is_read_at_its_beginning() -> None:
    text = "I have approved your refund. " + "All is well with the world today. " * 30_000
    assert (await GATE.check(draft(text))).action == "escalate"


async def test_what_is_too_long_to_be_read_does_not_pass() -> None:
    hidden = "All is well. " * 100 + "I have approved your refund."
    verdict = await GATE.check(draft(hidden))
    assert (verdict.action, verdict.findings[-1].kind) == ("escalate", "unread")


async def test_a_sentence_that_is_not_read_to_its_end_does_not_pass() -> None:
    text = "the boat and waive " + "goes over the lake and the hill " * 12 + "and waive it"
    verdict = await gate("commitments").check(draft(text))
    assert (verdict.action, [each.kind for each in verdict.findings]) == ("escalate", ["unread"])
