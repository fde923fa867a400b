"""Answers from what the house knows: policies, frequent questions, tours and tips."""

from __future__ import annotations

import re
from typing import Any

from .desk import Desk
from .reading import POLICY, Reading

__all__ = ["browse", "explain"]

SURE, WEAK = 0.3, 0.2
SYNONYMS = (
    (re.compile(r"\bcall\w* (?:\w+ ){0,2}off\b", re.IGNORECASE), "cancel"),
    (re.compile(r"\bmoney back\b", re.IGNORECASE), "refund"),
    (re.compile(r"\bkids?\b", re.IGNORECASE), "children"),
    (re.compile(r"\b(rain|storm|wind)\w*\b", re.IGNORECASE), "weather"),
)
CLAUSES = re.compile(r"[.;!?]\s+|,? and (?=please|then|also|can you|could you)", re.IGNORECASE)


def explain(desk: Desk, reading: Reading) -> None:
    """Answer a question about the rules from the passage that fits it best."""
    draft = desk.draft
    question = _worded(reading.text, raw="stale" in desk.weak)
    if reading.ill:
        question = f"{question} illness exceptions"
    policies = desk.use("get_policy", question=question) or []
    asked_old = reading.old_rules and "stale" in desk.weak
    passages = policies if asked_old else [*policies, *(desk.use("get_faq", question=question) or [])]
    best = _chosen(passages, asked_old)
    score = best["score"] if best else 0.0
    draft.confidence = round(min(0.97, 0.3 + score), 2)
    if reading.ill and best:
        _leave_to_a_person(desk, policies)
        return
    if best is None or score < WEAK:
        _not_known(desk, reading)
        return
    if score < SURE or "timid" in desk.weak:
        draft.confidence = min(draft.confidence, 0.41)
        draft.say("I have found something about this, but I am not sure enough that it answers your question.")
        desk.hand_over("confidence_failure", f"not sure enough of {best['id']}")
        return
    if best["id"] in desk.memory.told:
        draft.say("The rule is the same as I said before, however it is asked.")
    desk.memory.told.add(best["id"])
    cited = passages[-1]["id"] if "miscited" in desk.weak else best["id"]
    draft.say(f"{best['text']} [{cited}]")


def _worded(message: str, *, raw: bool) -> str:
    """The part of the message that asks about a rule, in the house's own words; a raw one stays as it was said."""
    parts = [part for part in CLAUSES.split(message) if POLICY.search(part)]
    text = " ".join(parts) or message
    if not raw:
        for pattern, word in SYNONYMS:
            text = pattern.sub(word, text)
    return text


def _chosen(passages: list[dict[str, Any]], old: bool) -> dict[str, Any] | None:
    if old:
        return min(passages, key=lambda each: str(each["date"]), default=None)
    return max(passages, key=lambda each: float(each["score"]), default=None)


def _leave_to_a_person(desk: Desk, policies: list[dict[str, Any]]) -> None:
    texts = [each for each in policies if each["id"].startswith("exceptions")] or policies[:1]
    if texts:
        desk.draft.say(f"{texts[0]['text']} [{texts[0]['id']}]")
    desk.draft.say("I cannot decide that myself.")
    desk.hand_over("policy_complexity", "an exception that depends on several conditions")


def _not_known(desk: Desk, reading: Reading) -> None:
    desk.draft.confidence = 0.15
    if "curt" in desk.weak:
        desk.draft.say("I am afraid I cannot help you with that.")
        return
    desk.draft.say("I could not find an answer to that in our policies and questions.")
    desk.hand_over("knowledge_gap", f"nothing found for: {reading.text.strip()[:120]}")


def browse(desk: Desk, reading: Reading) -> None:
    """Talk about tours and cities."""
    if reading.product:
        tour = desk.use("get_product_info", product=reading.product)
        if tour is None:  # the guard may hold it back
            desk.draft.say("I cannot tell you about this tour at the moment.")
            return
        desk.draft.say(
            f"{tour['title']} in {tour['city']} takes {tour['duration_hours']} hours and costs "
            f"{tour['price_eur']:.2f} EUR for each traveller. {tour['description']}"
        )
        return
    if reading.city and re.search(r"\btips?\b", reading.text, re.IGNORECASE):
        tips = desk.use("get_tips", city=reading.city) or []
        desk.draft.say(*(str(tip["text"]) for tip in tips))
        return
    tours = desk.use("search_products", query=reading.text, city=reading.city, max_price=reading.max_price) or []
    if not tours:
        desk.draft.confidence = 0.4
        desk.draft.say("I found no tour like that. Tell me a city (Bergen, Porto or Kyoto) and I will look again.")
        return
    listed = "; ".join(f"{tour['title']} in {tour['city']} for {tour['price_eur']:.2f} EUR" for tour in tours)
    desk.draft.say(f"These tours may be for you: {listed}.", "Tell me a title and I will say more about it.")
