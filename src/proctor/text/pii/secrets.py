"""Find secrets: API keys, logins in URLs, labelled passwords and codes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.core.verdict import Finding
from proctor.text.lazy_pattern import Lazy
from proctor.text.pii.context import made, spaced

__all__ = ["KEY_MARKS", "find_codes", "find_keys", "find_logins", "find_passwords"]

# The shapes of text.redact with bounded lengths, because this runs on untrusted text.
_BEGINS: Final = r"(?<![A-Za-z0-9])"
_KEY: Final = Lazy(
    "|".join(
        (
            rf"{_BEGINS}(?:sk|pk|rk)[-_](?=[A-Za-z_-]{{0,40}}[\d*])[A-Za-z0-9_*-]{{8,300}}+",
            rf"{_BEGINS}(?:AKIA|ASIA|ABSK|AIza)[A-Za-z0-9_+/=-]{{12,300}}+",
            rf"{_BEGINS}xox[a-z]-[A-Za-z0-9-]{{6,300}}+",
            rf"{_BEGINS}(?:gh[pousr]|github_pat|hf|gsk|glpat)[_-][A-Za-z0-9_-]{{10,300}}+",
            rf"{_BEGINS}eyJ[A-Za-z0-9_-]{{8,500}}+\.[A-Za-z0-9_-]{{4,2000}}+\.[A-Za-z0-9_-]{{0,1000}}+",
            r"-----BEGIN (?:[A-Z]{1,12} ){0,3}PRIVATE KEY-----[A-Za-z0-9+/=\s]{0,8000}+"
            r"(?:-----END (?:[A-Z]{1,12} ){0,3}PRIVATE KEY-----)?",
        )
    )
)
KEY_MARKS: Final = (
    "sk-",
    "sk_",
    "pk-",
    "pk_",
    "rk-",
    "rk_",
    "AKIA",
    "ASIA",
    "ABSK",
    "AIza",
    "xox",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat",
    "hf_",
    "hf-",
    "gsk",
    "glpat",
    "eyJ",
    "-----B",
    "earer ",
    "asic ",
    "BEARER ",
    "BASIC ",
)
_SCHEME: Final = Lazy(
    r"\b(?:Bearer|Basic)\s{1,3}(?=[A-Za-z._~+/=*-]{0,60}\d)([A-Za-z0-9._~+/=*-]{12,2000}+)", re.IGNORECASE
)
_LOGIN: Final = Lazy(r"://([^\s/@:]{1,100}:[^\s/@]{1,200})@")
# USER:PASSWORD, <user>:<password>, user:***
_UNFILLED: Final = Lazy(
    r"[A-ZÀ-ÖØ-Þ_]+:[A-ZÀ-ÖØ-Þ_]+|(?:<[^<>]+>|\{[^{}]+\}):(?:<[^<>]+>|\{[^{}]+\})|[^:]+:(?:\*+|•+|…|\.{3})"
)
_PAIR: Final = Lazy(r"@[A-Za-z0-9.-]{3,80}[.][A-Za-z]{2,24} ?[/|] ?([^\s/|,;]{6,64})(?<![.,])(?!\S*@)")
# Labels of passwords, with the word for "is" where it is ambiguous otherwise ("password on the box").
_CALLED: Final = (
    r"(?:(?<![A-Za-z])(?:pass(?:word|wort|wd|code|phrase|w)|pwd|contrase[nñ]a(?: es)?|mot de passe|has[lł]o|senha"
    r"|palavra[- ]passe|kennwort|wachtwoord|lösenord(?:et)?|adgangskoden?(?: er)?|passord(?:et)?(?: er)?|heslo(?: je)?"
    r"|salasana\w{0,3}(?: on)?|clave(?: es)?|jelsz[oó]\w{0,3}|(?:şifre|parola)(?:m|miz|niz|n)?"
    # not "per week", nor boarding passes
    r"|(?<![\d£$€])(?<![\d£$€] )pw|(?<!boarding )(?<!travel )(?<!day )(?<!bus )(?<!ski )(?<!season )pass(?= ?[:=]))"
    r"(?![a-zà-ÿ])|пароль|パスワード|暗証番号|密码|密碼|口令|비밀번호|비번|पासवर्ड|كلمة (?:المرور|السر))"
)
_PASSWORD: Final = Lazy(
    rf"{_CALLED}(?:[\"'](?=\s{{0,2}}[:=]))?"
    r"(?:[^\w\n]{0,3}(?:(?:is|was|are|now|to|for|of|set|changed|ist|lautet|est|jest|är)(?![a-z])|è|é|هي|هو|है|"
    r"[はがを是为為는은이가]"
    r")){0,3}"
    r"[^\w\n'\"‘“「]{0,4}(?:[\"'‘“「](?P<quoted>[^\s\"'’”」:=][^\"'’”」\n]{2,63})[\"'’”」]"
    r"|(?P<bare>[^\s\"'「」、。,;()<>]{4,64}))",
    re.IGNORECASE,
)
# A single word after "password:" or "my password is"; without a digit it may be a description.
_WORD: Final = Lazy(
    rf"(?:{_CALLED} ?[:：=]|(?<![A-Za-z])(?:my|his|her|our|their|the|login) (?:pass(?:word|code|phrase)|pwd|pw) is)"
    r"[ \t]{0,3}([^\W\d_]{5,32})(?=[ \t]{0,3}(?:[.,;!)\n]|$))",
    re.IGNORECASE,
)
_SAID_OF_IT: Final = Lazy(
    r"\w*(?:ed|ing|ly|able|ible|less|ful|ect|oub\w+|icht|isch|iert)"
    r"|wrong|valid|invalid|unknown|missing|stolen|weak|strong|short|longer|shorter|empty|blank|broken|forgotten|hidden"
    r"|lost|below|above|there|still|secret|secure|insecure|private|unsafe|simple|temporary|different|unique|public|the"
    r"|please|thanks|optional|mandatory|necessary|changes?|reset|recovery|login|again|never|always|okay|yours|mine|sent"
    r"|kaputt|falsch|ung[üu]ltig|vergessen|unbekannt|erforderlich|pflichtfeld|richtig|korrekt|oubli[eé]e?|perdue?"
    r"|invalide|erron[eé]e?|obligatoire|requis|incorrect[oae]?|incorret[oa]|inv[aá]lid[oa]|olvidad[oa]|requerid[oa]"
    r"|obligatori[oa]|errat[oa]|sbagliat[oa]|dimenticat[oa]|smarrit[oa]|obrigat[oó]ri[oa]|esqueci(?:d[oa])?|errad[oa]"
    r"|vergeten|onjuist|verplicht|ongeldig|verkeerd|glömt|felaktigt|unohtunut|väärä|zapomenut[ée]|nesprávné"
    r"|nieprawid[lł]ow[ey]|zapomniane|yanlış|hatalı|unuttum|неверный|забыл[аи]?|неправильный|должен|обязателен",
    re.IGNORECASE,
)
_CODE: Final = Lazy(
    r"(?:\b(?:pin(?! ?code)|otp|cvv2?|cvc2?|csc|(?:security|verification|one[- ]time|access) (?:code|password|pin))\b"
    r"|認証コード|確認コード|セキュリティコード|暗証番号)"
    r"(?:[^\w\n]{0,3}(?:(?:number|code|is|was)(?![a-z])|は|が)){0,3}[^\w\n]{0,4}(\d{3,8})(?![\w-]|[.,:]\d)",
    re.IGNORECASE,
)
_ENDING: Final = re.compile(r"(?:です|でした|だよ|입니다|이에요|예요|है)$")  # attached to the word before it
_ADDRESS: Final = Lazy(r"@[A-Za-z0-9-]{1,60}\.[A-Za-z]{2}|^https?:")
_MIXED: Final = Lazy(r"\d|[^\W\d_][!@#$%^&*_+=?~-]+[^\W_]|[!@#$%^&*+=~]")


def find_keys(text: str) -> Iterator[Finding]:
    """Find keys by shape, and what follows Bearer or Basic."""
    for hit in _KEY.finditer(text):
        yield made("secret", text, hit.span(), 0.95, "key")
    for hit in _SCHEME.finditer(text):
        yield made("secret", text, hit.span(1), 0.9, "header")


def find_logins(text: str) -> Iterator[Finding]:
    """Find logins in URLs, and a password after an address: anna@mail.org / W!nter24."""
    for hit in _LOGIN.finditer(text):
        if not _UNFILLED.fullmatch(hit[1]):
            yield made("secret", text, hit.span(1), 0.95, "login in URL")
    for hit in _PAIR.finditer(text):
        if _MIXED.search(hit[1]) and "@" not in hit[1][1:].rpartition(".")[0]:
            yield made("secret", text, hit.span(1), 0.7, "password")


def find_passwords(text: str) -> Iterator[Finding]:
    """Find labelled passwords; in "my password is wrong" there is none, so a bare one must look like one."""
    for hit in _PASSWORD.finditer(text):
        if hit["quoted"]:
            yield made("secret", text, hit.span("quoted"), 0.85, "password")
            continue
        start, end = hit.span("bare")
        written = _ENDING.sub("", text[start:end].rstrip(".,?:;*"))
        if _MIXED.search(written.rstrip("!")) and not _ADDRESS.search(written):
            yield made("secret", text, (start, start + len(written)), 0.85, "password")
    for hit in _WORD.finditer(text):
        if not _SAID_OF_IT.fullmatch(hit[1]):
            yield made("secret", text, hit.span(1), 0.6, "password")


def find_codes(text: str) -> Iterator[Finding]:
    """Find labelled codes of a card, a login or a lock."""
    for hit in _CODE.finditer(spaced(text)):
        yield made("secret", text, hit.span(1), 0.85, "code")
