"""Find email addresses, and recognise office addresses (support@…) and placeholders (you@example.com)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.core.verdict import Finding
from proctor.text.lazy_pattern import Lazy
from proctor.text.pii.context import made

__all__ = ["find_emails", "find_spelled", "is_office", "is_stand_in", "mailbox"]

# Accented letters are allowed in both halves; other scripts are not: Japanese has no blank before an address.
_LETTER: Final = "A-Za-z0-9À-ÖØ-öø-ɏ"
# The @ is rare and fast to find; the mailbox is then read backwards from it.
_HOST: Final = Lazy(rf"@(?:[{_LETTER}](?:[{_LETTER}-]{{0,61}}[{_LETTER}])?\.){{1,6}}[A-Za-z]{{2,24}}(?![A-Za-z0-9_@-])")
_BOX: Final = re.compile(rf"[{_LETTER}_.+%'-]+")
_BOX_LETTERS: Final = frozenset(chr(code) for code in range(0x250) if _BOX.fullmatch(chr(code)))
_LONGEST_BOX: Final = 64
_SPELLED: Final = Lazy(
    r"(?<![\w.+%-])(?:[\w+-]{1,30} dot ){0,3}[A-Za-z0-9][\w.+%-]{0,62} ?(?:\(at\)|\[at\]|\{at\}"
    r"| at ) ?[A-Za-z0-9-]{1,62}"
    r"(?: ?(?:\(dot\)|\[dot\]|\{dot\}| dot |\.) ?[A-Za-z0-9-]{2,24}){1,4}(?![\w@-])",
    re.ASCII | re.IGNORECASE,
)
# An office mailbox is not personal.
_OFFICE: Final = Lazy(
    r"^(?:(?:customer|guest|client|tech|media|data)?[._-]?(?:support|service|services|care|help|helpdesk|help[._-]?desk"
    r"|info|information|contact|contactus|hello|hi|team|office|admin|sales|booking|bookings|reservation|reservations"
    r"|refunds?|returns?|orders?|billing|payments?|accounts?|claims?|complaints?|feedback|privacy|dpo|legal|press|media"
    r"|careers|jobs|hr|security|abuse|postmaster|webmaster|no[._-]?reply|do[._-]?not[._-]?reply|notifications?|news"
    r"|newsletter|marketing|partners?|operations|ops|desk|concierge|enquiries|inquiries|enquiry|inquiry|mail|shop|store"
    r"|relations|experience))(?:[._+-]?(?:team|desk|center|centre|[a-z]{2}))?@",
    re.IGNORECASE,
)
_STAND_IN: Final = Lazy(
    r"^(?:you|your[._-]?(?:name|email|mail|address)|name|first[._-]?name[._-]?last[._-]?name|first[._-]?last|user"
    r"|username"
    r"|email|e-?mail|example|someone|somebody|me|xxx+|abc|test)@"
    r"(?:[\w-]+\.)*(?:example|domain|email|mail|company|yourcompany|provider|test|xyz|gmail)\.\w+$",
    re.IGNORECASE,
)


def find_emails(text: str) -> Iterator[Finding]:
    """Find every address in the text."""
    for hit in _HOST.finditer(text):
        start = mailbox(text, hit.start())
        if start < hit.start():
            yield made("email", text, (start, hit.end()), 0.99)


def mailbox(text: str, sign: int) -> int:
    """Return where the mailbox before the @ begins; the index of the @ if there is none."""
    if not sign or text[sign - 1] not in _BOX_LETTERS or text[sign - 1] in ".%'-":
        return sign
    start = sign
    while start and sign - start < _LONGEST_BOX and text[start - 1] in _BOX_LETTERS:
        start -= 1
    while text[start] in ".+%'-":
        start += 1
    return start


def find_spelled(text: str) -> Iterator[Finding]:
    """Find addresses that are spelled out: anna (at) mail (dot) org."""
    if not _is_spelled(text.lower()):
        return
    for hit in _SPELLED.finditer(text):
        if _is_spelled(hit.group().lower()):
            yield made("email", text, hit.span(), 0.8, "spelled out")


def _is_spelled(lower: str) -> bool:
    return "dot" in lower or "(at)" in lower or "[at]" in lower or "{at}" in lower


def is_office(address: str) -> bool:
    """Whether the mailbox is an office's, not a person's."""
    return _OFFICE.match(address) is not None


def is_stand_in(address: str) -> bool:
    """Whether it is only an example address."""
    return _STAND_IN.match(address) is not None
