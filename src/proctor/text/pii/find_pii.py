"""Find all kinds of personal data in one text, without duplicates."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Final

from proctor.core.verdict import Finding
from proctor.text.chunked_regex import breathe, finditer, translated
from proctor.text.pii import addresses, cards, emails, labelled_numbers, network, passports, secrets
from proctor.text.pii.context import made
from proctor.text.pii.national import SCHEMES, find_by_shape, find_spaced
from proctor.text.pii.phone_plans import REGIONS
from proctor.text.pii.phones import find_phones
from proctor.text.pii.pii_prefilter import Gates, Needs, needs
from proctor.text.user_patterns import UserPattern

__all__ = ["KINDS", "PERSONAL", "find_pii", "warm"]

Code = re.Pattern[str] | UserPattern
Finder = Callable[[str], Iterator[Finding]]

_STREETS: Final = (
    "street str st avenue ave av road rd boulevard blvd bd lane ln drive dr court ct place pl square sq terrace ter"
    " way circle cir"
    " crescent cres close highway hwy parkway pkwy trail trl row alley plaza mews gardens grove loop walk hill quay"
    " box postfach"
    " rue allée allee chemin quai impasse cours via viale calle avenida piazza paseo rua ul ulica al straße"
)
# In order of precedence: a card's digits may look like a phone number, but not vice versa.
_FINDERS: Final[tuple[tuple[str, Finder, Needs], ...]] = (
    ("secret", secrets.find_keys, Needs(marks=secrets.KEY_MARKS)),
    ("secret", secrets.find_logins, Needs(marks=("://", "@"))),
    (
        "secret",
        secrets.find_passwords,
        needs(
            "password passwort passwd passcode passphrase passw pwd pw pass contraseña contrasena clave passe"
            " hasło haslo senha kennwort wachtwoord lösenord lösenordet adgangskode adgangskoden passord"
            " passordet heslo salasana salasanani salasanasi jelszó jelszo jelszavam şifre şifrem şifremiz şifreniz"
            " parola parolam пароль",
            "パスワード 暗証番号 密码 密碼 口令 비밀번호 비번 पासवर्ड كلمة",
        ),
    ),
    (
        "secret",
        secrets.find_codes,
        needs(
            "pin otp cvv cvc csc security verification time access",
            "認証コード 確認コード セキュリティコード 暗証番号",
            digits=3,
        ),
    ),
    ("email", emails.find_emails, Needs(marks=("@",))),
    ("email", emails.find_spelled, needs("dot at")),
    ("iban", cards.find_ibans, Needs(digits=8, row=7)),
    ("iban", cards.find_named_ibans, needs("iban", digits=6)),
    ("card", cards.find_cards, Needs(row=12)),
    ("card_fragment", cards.find_starred, Needs(digits=4, marks=("xx", "XX", "**", "••", "##"))),
    ("card_fragment", cards.find_endings, needs("ending ends end finishing last", "桁 末尾", digits=4)),
    (
        "passport",
        passports.find_passports,
        needs(
            "passport passports pasport pasaporte passeport passaporto paszport paszportu paspoort paspoortnummer"
            " reisepass reisepassnummer",
            "パスポート 旅券 护照 여권",
            digits=5,
        ),
    ),
    (
        "driving_licence",
        labelled_numbers.find_driving_licences,
        needs(
            "license licence licenses licences permit dl führerschein fuhrerschein führerscheinnummer permis patente"
            " jazdy",
            "免許",
            digits=4,
        ),
    ),
    ("national_id", find_by_shape, Needs(digits=4, code=8)),
    ("national_id", find_spaced, Needs(row=8)),
    *(("national_id", each.find, each.needs) for each in SCHEMES),
    (
        "date_of_birth",
        labelled_numbers.find_births,
        needs(
            "birth birthday birthdate born dob geboren geburtsdatum naissance né née nacimiento nascita urodzenia ob",
            "生 誕生日 生年月日",
            digits=4,
        ),
    ),
    ("crypto", network.find_purses, Needs(code=14)),
    ("mac", network.find_macs, Needs(code=17, marks=(":", "-"))),
    ("ip", network.find_ips, Needs(digits=4, row=7, marks=(".",))),
    ("ip", network.find_ips6, Needs(digits=1, marks=(":",))),
    (
        "health_id",
        labelled_numbers.find_health_numbers,
        needs(
            "patient medical mrn member insurance insured policy health subscriber medicaid",
            "保険証 被保険者 記号番号",
            digits=4,
        ),
    ),
    (
        "bank_account",
        labelled_numbers.find_bank_accounts,
        needs(
            "account accounts acct accts acc accnum konto kontonummer compte cuenta konta rachunku",
            "口座 普通 当座",
            row=6,
        ),
    ),
    (
        "bank_account",
        labelled_numbers.find_bank_codes,
        needs("routing aba ifsc sort bsb swift bic", "支店番号 金融機関コード"),
    ),
    ("bank_account", labelled_numbers.find_payment_names, Needs(marks=("@",))),
    ("phone", find_phones, Needs(row=7)),
    ("address", addresses.find_streets, needs(_STREETS, "私書箱", digits=1)),
    ("address", addresses.find_post_codes, Needs(digits=2)),
    ("address", addresses.find_named_codes, needs("zip postal post postcode zipcode plz", "郵便番号", digits=4)),
    ("address", addresses.find_japanese, needs("〒", "市 区 郡 県 府 都 道 〒", digits=1)),
)
_GATES: Final = Gates([need for _, _, need in _FINDERS])
KINDS: Final = tuple(dict.fromkeys(kind for kind, _, _ in _FINDERS))

# Kinds that identify one person anywhere; a street, a key or four digits of a card need not.
PERSONAL: Final = ("email", "iban", "card", "passport", "national_id", "phone")

# Maps single characters, so that offsets stay: full width, other dashes and spaces, other scripts' digits.
_PLAIN: Final = {
    **{0xFF01 + n: 0x21 + n for n in range(94)},
    **dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212, 0xFE63), 0x2D),
    **dict.fromkeys((0xA0, 0x2002, 0x2003, 0x2007, 0x2009, 0x200A, 0x202F, 0x3000), 0x20),
    **{zero + n: 0x30 + n for zero in (0x660, 0x6F0, 0x966, 0x9E6, 0xE50) for n in range(10)},
}
_SAMPLE: Final = (
    "+44 20 7946 0958, +1-903-140-4508, 212-555-0142, 9469 9966, card 4111111111111112, NY 10118, NW1 6XE,"
    " 生 password is x, password: x1y2z3, my password is wrong, 10.20.30.40, 東京都千代田区1-1, 98 765 43 21 0,"
    " a street, a box, a dot"
)
_TAKEN: Final = "]"  # replaces what is already found, so that no later kind reads it again


def find_pii(
    text: str,
    *,
    kinds: Collection[str] = KINDS,
    codes: Mapping[str, Code] = MappingProxyType({}),
    regions: Sequence[str] = REGIONS,
) -> tuple[Finding, ...]:
    """Return personal data of these kinds, in order and without overlaps; ``codes`` are custom kinds by pattern.

    Full-width digits and letters are read as plain ones; offsets refer to the given text. The whole text is read in
    chunks, however long, with bounded patterns. ``regions`` are the countries that a phone number without a country
    code may belong to.
    """
    plain = text if text.isascii() else _narrow(text)
    left = plain
    found: list[Finding] = []
    for finder in _wanted(plain, kinds, codes, regions):
        breathe()
        if hits := list(finder(left)):
            new = _apart(hits, left)
            found += new
            left = _without(left, new)
    found.sort(key=lambda each: each.start or 0)
    return tuple(found if plain is text else (_as_written(each, text) for each in found))


def warm() -> None:
    """Compile every pattern and load the numbering plans now, so that no message has to wait for it."""
    for _, find, _ in _FINDERS:
        for _ in find(_SAMPLE):
            pass


def _wanted(text: str, kinds: Collection[str], codes: Mapping[str, Code], regions: Sequence[str]) -> Iterator[Finder]:
    """Yield the finders, in order, whose requirements the text meets."""
    for kind, pattern in codes.items():
        yield partial(_by_pattern, kind, pattern)
    for number in _GATES.opened(text):
        kind, find, _ = _FINDERS[number]
        if kind in kinds:
            yield partial(find_phones, regions=regions) if kind == "phone" else find


def _by_pattern(kind: str, pattern: Code, text: str) -> Iterator[Finding]:
    for hit in pattern.finditer(text) if isinstance(pattern, UserPattern) else finditer(pattern, text):
        if hit.group():
            yield made(kind, text, hit.span(), 0.9)


def _apart(found: Sequence[Finding], text: str) -> list[Finding]:
    """Return the findings of one kind in order; overlapping ones are merged without gaps."""
    kept: list[Finding] = []
    for each in sorted(found, key=lambda each: (each.start or 0, -(each.end or 0), -(each.confidence or 0.0))):
        if not kept or (each.start or 0) >= (kept[-1].end or 0):
            kept.append(each)
            continue
        last = kept[-1]
        start, end = last.start or 0, max(last.end or 0, each.end or 0)
        best = max(last, each, key=lambda one: one.confidence or 0.0)
        if (best.start, best.end) == (start, end):
            kept[-1] = best
        else:
            kept[-1] = replace(best, text=text[start:end], start=start, end=end)
    return kept


def _without(text: str, found: Sequence[Finding]) -> str:
    parts: list[str] = []
    last = 0
    for each in found:
        start, end = each.start or 0, each.end or 0
        parts += (text[last:start], _TAKEN * (end - start))
        last = end
    return "".join((*parts, text[last:]))


def _narrow(text: str) -> str:
    """Convert characters to their plain form and keep all offsets."""
    return translated(text, _PLAIN)


def _as_written(found: Finding, source: str) -> Finding:
    written = source[found.start : found.end]
    return found if written == found.text else replace(found, text=written)
