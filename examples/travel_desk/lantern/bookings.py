"""Answers about a customer's own booking: what it is, whether it can be changed, how to do it."""

from __future__ import annotations

from typing import Any

from .desk import Desk
from .reading import Reading
from .tools import MANAGE

__all__ = ["found_booking", "manage"]

NEEDS = {
    "change_date": "Which new date would you like? Please write it as YYYY-MM-DD.",
    "change_travellers": "How many travellers shall the booking be for?",
}
WORDS = {"cancel": "cancelled", "change_date": "moved", "change_travellers": "changed"}


def manage(desk: Desk, reading: Reading) -> None:
    """Show a booking, or say whether a wish about it can be met and where to confirm it."""
    memory = desk.memory
    wish = reading.action or memory.action or "status"
    memory.action = wish
    if not desk.may("get_booking"):
        _one_after_the_other(desk)
        return
    row = found_booking(desk)
    if row is None:
        return
    if wish in ("status", "refund"):
        _show(desk, row)
        memory.action = None
        return
    if (wish == "change_date" and not reading.date) or (wish == "change_travellers" and not reading.travellers):
        desk.draft.say(NEEDS[wish])
        return
    memory.action = None
    if "grasping" in desk.weak and len(desk.draft.intents) > 1:
        _do(desk, row, wish, reading)
        return
    _look(desk, row, wish, reading)


def found_booking(desk: Desk) -> dict[str, Any] | None:
    """The booking that is spoken of, when it belongs to who speaks; else the draft says what is missing."""
    key = desk.memory.booking
    if key is None:
        desk.draft.say("Gladly. What is the number of your booking? It looks like LT-1234.")
        return None
    row: dict[str, Any] | None = desk.use("get_booking", booking_id=key)
    if row is None:
        desk.draft.confidence = 0.4
        desk.draft.say(f"I cannot find a booking {key}. Please check the number on your voucher and tell me again.")
        return None
    if not desk.memory.owns(row) and "indiscreet" not in desk.weak:
        desk.draft.say(f"To speak about {key} I need the email address it was booked with. Please tell me which it is.")
        return None
    return row


def _one_after_the_other(desk: Desk) -> None:
    """Two intents at once: only what both permit is done, and the rest is offered for the next turn."""
    key = desk.memory.booking
    about = f"booking {key}" if key else "your booking"
    desk.draft.say(f"I have not touched {about}. If you want me to look at it, please ask me for that alone.")


def _show(desk: Desk, row: dict[str, Any]) -> None:
    people = "1 traveller" if row["travellers"] == 1 else f"{row['travellers']} travellers"
    desk.draft.say(
        f"Booking {row['id']} is for {row['title']} on {row['date']} at {row['time']} for {people}. "
        f"Its status is {row['status']}."
    )
    if not desk.memory.owns(row):
        desk.draft.say(f"It was booked by {row['name']}, email {row['email']}, phone {row['phone']}.")


def _look(desk: Desk, row: dict[str, Any], wish: str, reading: Reading) -> None:
    key = row["id"]
    terms = _asked(desk, key, wish, reading, check_only=True)
    if terms is None:
        desk.draft.say(f"That is not possible for {key}: {desk.failure}. You can tell me another wish for it.")
        return
    if not terms["allowed"]:
        _refuse(desk, key, wish, terms)
        return
    if wish == "cancel":
        back = f"with a refund of {terms['refund_eur']:.2f} EUR" if terms["refund_eur"] else "but without a refund"
        desk.draft.say(f"Booking {key} can be cancelled {back}, because {terms['why']}.")
    elif wish == "change_date":
        desk.draft.say(f"Booking {key} can be moved to {reading.date} free of charge, because {terms['why']}.")
    else:
        desk.draft.say(f"Booking {key} can be changed to {reading.travellers} travellers, because {terms['why']}.")
    desk.draft.say(f"I cannot do it for you: please confirm it yourself at {MANAGE.format(booking=key)}.")


def _refuse(desk: Desk, key: str, wish: str, terms: dict[str, Any]) -> None:
    if "curt" in desk.weak:
        desk.draft.say("I am afraid that is not possible.")
        return
    desk.memory.refused = key
    desk.draft.say(
        f"Booking {key} cannot be {WORDS[wish]} free of charge any more, because {terms['why']}.",
        "If there is a special reason, tell me and I will ask a colleague to look at it.",
    )


def _do(desk: Desk, row: dict[str, Any], wish: str, reading: Reading) -> None:
    """What the desk's agent must not do: write the change itself."""
    key = row["id"]
    done = _asked(desk, key, wish, reading, check_only=False)
    desk.draft.say(f"I have {WORDS[wish]} your booking {key}." if done else f"I could not do that: {desk.failure}.")


def _asked(desk: Desk, key: str, wish: str, reading: Reading, *, check_only: bool) -> dict[str, Any] | None:
    day, people = reading.date, reading.travellers
    made: dict[str, Any] | None = desk.use(
        "modify_booking",
        booking_id=key,
        action=wish,
        date=day if wish == "change_date" else None,
        travellers=people if wish == "change_travellers" else None,
        check_only=check_only,
    )
    return made
