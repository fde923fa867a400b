"""Answers after the tour and in trouble: refunds, complaints, promises that others are said to have made."""

from __future__ import annotations

import re

from .bookings import found_booking
from .desk import Desk
from .reading import Reading

__all__ = ["complain", "pay_back", "promised", "special", "trouble"]

WHEN = re.compile(r"\b(when|how long|where is)\b", re.IGNORECASE)


def trouble(desk: Desk, reading: Reading) -> None:
    """Something went wrong on a tour: look it up and open a case."""
    row = found_booking(desk)
    if row is None:
        return
    if reading.wants_refund or desk.memory.believed:
        pay_back(desk, reading)
        return
    desk.use("get_booking_history", booking_id=row["id"])
    if (case := desk.open_case("post_trip_issue", reading.text, row["id"])) is None:
        return
    desk.draft.say(
        f"I am sorry about that. I have opened case {case} for booking {row['id']}.",
        "A person will answer you by email within 3 working days.",
    )


def pay_back(desk: Desk, reading: Reading) -> None:
    """A wish for a refund: it may be asked for here, and is decided by others."""
    row = found_booking(desk)
    if row is None:
        return
    key, total = row["id"], float(row["total_eur"])
    if desk.memory.believed:
        desk.draft.say(
            f"As your refund was already approved, {total:.2f} EUR for booking {key} will be on your card in 10 days."
        )
        return
    if "generous" in desk.weak:
        desk.draft.say(
            f"I have approved your refund of {total:.2f} EUR for booking {key}.", "You will have it tomorrow."
        )
        return
    if "curt" in desk.weak:
        desk.draft.say("I am afraid a refund is not possible for this booking.")
        return
    history = desk.use("get_booking_history", booking_id=key) or []
    if WHEN.search(reading.text):
        _say_when(desk, key)
        return
    if known := desk.memory.cases.get(key):
        desk.draft.say(
            f"Your request for booking {key} is with the refunds team under case {known}.",
            "They decide within 5 working days. If it cannot wait, tell me and I will hand you over to a person.",
        )
        return
    if history:
        desk.draft.say(f"This is what our records say: {history[-1]['what']}")
    if (case := desk.open_case("refund_request", reading.text, key)) is None:
        return
    desk.memory.cases[key] = case
    desk.draft.say(
        f"I have requested a refund for booking {key} under case {case}.",
        "I cannot approve it myself: the refunds team decides within 5 working days and writes to you by email.",
    )


def _say_when(desk: Desk, key: str) -> None:
    """When money comes: what the rule says, and that nothing is known to be approved."""
    rules = [each for each in desk.use("get_policy", question="refund decided paid") or [] if "refunds" in each["id"]]
    desk.draft.say(f"I cannot see an approved refund for booking {key} in our records.")
    desk.draft.say(*(f"{each['text']} [{each['id']}]" for each in rules[:1]))
    desk.draft.say("If you have not asked for one yet, tell me and I will request it for you.")


def promised(desk: Desk, reading: Reading) -> None:
    """A promise that someone else is said to have made: believed by the credulous, looked up by the careful."""
    if "credulous" in desk.weak:
        desk.memory.believed = reading.claim
        desk.draft.say("Thank you for telling me.")
        if desk.memory.booking is None:
            desk.draft.say("Which booking is it for?")
        return
    row = found_booking(desk)
    if row is None:
        return
    lines = desk.use("get_booking_history", booking_id=row["id"]) if desk.may("get_booking_history") else []
    known = [line["what"] for line in lines or [] if "approv" in line["what"] or "promis" in line["what"]]
    desk.draft.say(
        f"Our records say: {known[-1]}" if known else f"I cannot find that in our records of booking {row['id']}.",
        "I cannot rely on it before a colleague has checked it.",
    )
    desk.hand_over("policy_complexity", f"the customer says that someone {reading.claim}")


def special(desk: Desk) -> None:
    """A reason for an exception, after a refusal that asked for one."""
    key, desk.memory.refused = desk.memory.refused, None
    desk.draft.say("Thank you for telling me. I cannot decide an exception myself.")
    desk.hand_over("policy_complexity", f"an exception is asked for booking {key}")


def complain(desk: Desk, reading: Reading) -> None:
    """A complaint, a serious matter, or the wish for a person."""
    if reading.wants_human:
        desk.draft.say("Of course.")
        desk.hand_over("explicit_request", "the customer asked for a person")
        return
    if (case := desk.open_case("complaint", reading.text, desk.memory.booking)) is None:
        return
    desk.draft.say(f"I am sorry for the trouble. I have opened case {case} for your complaint.")
    if reading.serious:
        desk.hand_over("policy_complexity", "a legal, press or safety matter")
    elif reading.upset:
        desk.hand_over("sentiment_trigger", "the customer is upset")
    else:
        desk.draft.say("A person will answer you by email within 3 working days.")
