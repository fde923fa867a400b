"""Find numbers recognised only by a label: driving licences, bank accounts, health insurance, birth dates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.core.verdict import Finding
from proctor.text.lazy_pattern import Lazy
from proctor.text.pii.checks import weighted
from proctor.text.pii.context import NamedValueFinder, digits_of, made, spaced
from proctor.text.pii.emails import mailbox

__all__ = [
    "find_bank_accounts",
    "find_bank_codes",
    "find_births",
    "find_driving_licences",
    "find_health_numbers",
    "find_payment_names",
]

_TIGHT: Final = r"#?(?=[A-Z0-9-]{0,12}\d)[A-Z0-9](?:-?[A-Z0-9]){3,19}"
_LICENCE: Final = NamedValueFinder(
    r"\bdriv(?:er|ers|er'?s|er’s|ing)\s{1,2}(?:licen[cs]e|permit)|\blicen[cs]e (?:number|no\.?|#)|\bDL (?:number"
    r"|no\.?|#)"
    r"|(?:運転)?免許証?(?:番号)?|\bf[uü]hrerschein(?:nummer)?|\bpermis de conduire|\bpatente di guida|\bprawo jazdy",
    r"(?:DL:? ?)?(?=[A-Z0-9_-]{0,16}\d)[A-Z0-9](?:[-_]?[A-Z0-9]){4,19}",
    least=4,
)
_ACCOUNT: Final = NamedValueFinder(
    r"\b(?:bank |checking |savings |current |deposit )?(?:account|acct|a/c)s?(?: (?:number|no\.?|#|details?))?\b"
    r"|\bACC(?:NUM|OUNT)?\b(?=:)"
    r"|\b(?:konto(?:nummer)?|num[eé]ro de compte|cuenta|numer (?:konta|rachunku))\b|口座(?:番号)?|普通預金?|当座預金?",
    r"(?<!#)[A-Z]{0,10}\d(?:[ -]?\d){5,19}[A-Z]?",  # a # before it marks an order number
    least=6,
)
# Asked in one line and answered in the next: "… your account number?" "Sure, it's 123456789".
_ANSWERED: Final = Lazy(
    r"\b(?:account|acct) (?:number|no|id)\b[\s\S]{0,140}?\b(?:it['’]?s|it is|that['’]?s"
    r"|here it is:?)\s{1,3}(\d{6,17})(?![\w-]|[.,:]\d)",
    re.IGNORECASE,
)
_ROUTING: Final = NamedValueFinder(
    r"\brouting\b(?: transit)?|\baba\b|\bifsc\b|\bsort[ -]?code\b|\bbsb\b|\bswift\b(?:/bic)?(?: code)?|\bbic\b"
    r"|支店番号|金融機関コード",
    r"\d{9}|\d{2}-\d{2}-\d{2}|\d{3}-?\d{3}|\d{3,4}|[A-Z]{4}[A-Z0-9]{4,7}",
    least=0,
)
_UPI: Final = Lazy(r"@(?:ok(?:sbi|axis|icici|hdfcbank)|ybl|ibl|axl|paytm|upi|apl|airtel|jio)(?![\w.-])", re.ASCII)
_HEALTH: Final = NamedValueFinder(
    r"\b(?:patient|medical(?: record)?|mrn|member|insurance|insured|policy|health(?: insurance| card)?|subscriber"
    r"|medicaid)"
    r"(?: (?:id|number|no\.?|record|file|policy|card|#))+|\bmrn\b|\b(?:insurance|medical) (?:policy|file|record)\b"
    r"|保険証(?:番号)?|被保険者(?:証)?番号|記号番号",
    _TIGHT,
    least=4,
)
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DAY: Final = (
    rf"(?:\d{{1,4}}[-/.]\d{{1,2}}[-/.]\d{{1,4}}|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\.?,? \d{{2,4}}"
    rf"|{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|(?:(?:昭和|平成|令和|大正|[SHTR])\s?(?:\d{{1,2}}|元)"
    rf"|\d{{4}})\s?年\s?\d{{1,2}}\s?月\s?\d{{1,2}}\s?日"
    r"|(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))"
)
_BORN: Final = Lazy(
    rf"(?:\bd\.?o\.?b\.?\b|\bdates? of birth\b|\bbirth ?(?:day|date)\b|\bborn(?: on)?\b|生年月日|誕生日"
    rf"|\bgeburtsdatum\b|\bgeboren am\b"
    rf"|\bdate de naissance\b|\bn[eé]e? le\b|\bfecha de nacimiento\b|\bdata (?:di nascita|urodzenia)\b|出生日期"
    rf"|생년월일)"
    rf"(?:[^\w\n]{{0,3}}(?:is|was|on|は|が|:)){{0,2}}[^\w\n]{{0,5}}({_DAY})(?!\d)",
    re.IGNORECASE,
)
_BORN_THEN: Final = Lazy(rf"(?<!\d)({_DAY})\s?(?:生まれ|生れ|に生まれ)", re.IGNORECASE)


def find_driving_licences(text: str) -> Iterator[Finding]:
    """Find numbers labelled as a driving licence."""
    for start, end in _LICENCE.spans(text):
        yield made("driving_licence", text, (start, end), 0.8)


def find_bank_accounts(text: str) -> Iterator[Finding]:
    """Find numbers labelled as an account."""
    for place in _ACCOUNT.spans(text):
        yield made("bank_account", text, place, 0.75)
    for hit in _ANSWERED.finditer(spaced(text)):
        yield made("bank_account", text, hit.span(1), 0.65)


def find_bank_codes(text: str) -> Iterator[Finding]:
    """Find numbers labelled as a bank or branch code."""
    for start, end in _ROUTING.spans(text):
        digits = digits_of(text[start:end])
        if digits or text[start:end].isupper():  # "swift response" is none
            right = len(digits) == 9 and weighted(digits, (3, 7, 1) * 3) % 10 == 0
            yield made("bank_account", text, (start, end), 0.95 if right else 0.7, "routing")


def find_payment_names(text: str) -> Iterator[Finding]:
    """Find Indian payment addresses: a name at a bank."""
    for hit in _UPI.finditer(text):
        if (start := mailbox(text, hit.start())) < hit.start():
            yield made("bank_account", text, (start, hit.end()), 0.9, "in_upi")


def find_health_numbers(text: str) -> Iterator[Finding]:
    """Find numbers labelled as a patient's, a member's or an insurance's."""
    for place in _HEALTH.spans(text):
        yield made("health_id", text, place, 0.75)


def find_births(text: str) -> Iterator[Finding]:
    """Find dates labelled as a date of birth."""
    for pattern in (_BORN, _BORN_THEN) if "生" in text else (_BORN,):
        for hit in pattern.finditer(spaced(text)):
            yield made("date_of_birth", text, hit.span(1), 0.9)
