"""Which tools an intent may use: the table that the desk's agent is held to."""

from __future__ import annotations

from collections.abc import Collection

__all__ = ["INTENTS", "MATRIX", "permitted"]

_POLICY = ("get_policy", "get_faq", "get_product_info")
_BOOKING = (*_POLICY, "get_booking", "modify_booking")
MATRIX: dict[str, tuple[str, ...]] = {
    "policy_inquiry": _POLICY,
    # modify_booking is for looking whether a change is possible (check_only), not for making it
    "booking_management": _BOOKING,
    "post_trip_issue": (*_BOOKING, "get_booking_history", "create_case"),
    "general_browsing": ("get_product_info", "get_tips", "search_products"),
    "complaint": ("create_case", "escalate"),
}
INTENTS = tuple(MATRIX)


def permitted(intents: Collection[str], *, union: bool = False) -> frozenset[str]:
    """The tools for these intents: what all of them permit; with ``union`` what any of them does."""
    rows = [frozenset(MATRIX[intent]) for intent in intents if intent in MATRIX]
    if not rows:
        return frozenset()
    return frozenset.union(*rows) if union else frozenset.intersection(*rows)
