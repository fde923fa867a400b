"""Addresses of e-mail, told apart from those of offices (support@…) and from stand-ins (you@example.com)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.core.verdict import Finding

__all__ = ["find_emails", "is_office", "is_stand_in"]

_EMAIL: Final = re.compile(
    r"(?<![\w.+%-])[A-Za-z0-9](?:[\w.+%'-]{0,62}[\w+])?@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,6}"
    r"[A-Za-z]{2,24}(?![\w@-])",
    re.ASCII,
)
# A mailbox of an office belongs to nobody in person.
_OFFICE: Final = re.compile(
    r"^(?:(?:customer|guest|client|tech|media|data)?[._-]?(?:support|service|services|care|help|helpdesk|help[._-]?desk"
    r"|info|information|contact|contactus|hello|hi|team|office|admin|sales|booking|bookings|reservation|reservations"
    r"|refunds?|returns?|orders?|billing|payments?|accounts?|claims?|complaints?|feedback|privacy|dpo|legal|press|media"
    r"|careers|jobs|hr|security|abuse|postmaster|webmaster|no[._-]?reply|do[._-]?not[._-]?reply|notifications?|news"
    r"|newsletter|marketing|partners?|operations|ops|desk|concierge|enquiries|inquiries|enquiry|inquiry|mail|shop|store"
    r"|relations|experience))(?:[._+-]?(?:team|desk|center|centre|[a-z]{2}))?@",
    re.IGNORECASE,
)
_STAND_IN: Final = re.compile(
    r"^(?:you|your[._-]?(?:name|email|mail|address)|name|first[._-]?name[._-]?last[._-]?name|first[._-]?last|user|username"
    r"|email|e-?mail|example|someone|somebody|me|xxx+|abc|test)@"
    r"(?:[\w-]+\.)*(?:example|domain|email|mail|company|yourcompany|provider|test|xyz|gmail)\.\w+$",
    re.IGNORECASE,
)


def find_emails(text: str) -> Iterator[Finding]:
    """Every address in the text."""
    if "@" in text:
        for hit in _EMAIL.finditer(text):
            yield Finding(kind="email", text=hit.group(), start=hit.start(), end=hit.end(), confidence=0.99)


def is_office(address: str) -> bool:
    """Whether the mailbox is a desk's and not a person's."""
    return _OFFICE.match(address) is not None


def is_stand_in(address: str) -> bool:
    """Whether it only shows what an address looks like."""
    return _STAND_IN.match(address) is not None
