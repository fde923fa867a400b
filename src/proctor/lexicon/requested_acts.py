"""Find which kinds of act a customer's message asks for, and which kind a tool carries out, in many languages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Final, Literal

from proctor.lexicon.concept import ANY
from proctor.lexicon.files import read_wording
from proctor.lexicon.match import ConceptMatch, matcher
from proctor.text.predicates.language_guess import language

__all__ = [
    "Act",
    "acts_in",
    "acts_of_tool",
    "delegates_instructions",
    "is_asked",
    "looks_only",
    "names_source",
    "quotations",
    "without_quotations",
]

Act = Literal["pay", "send", "book", "create", "cancel", "change", "run"]

_ACTS: Final[tuple[Act, ...]] = ("pay", "send", "book", "create", "cancel", "change", "run")
# A customer who asks for one of these may mean the act: an appointment is booked or created.
_MEANT_BY: Final[Mapping[Act, frozenset[Act]]] = {
    "pay": frozenset(("pay",)),
    "send": frozenset(("send",)),
    "book": frozenset(("book", "create")),
    "create": frozenset(("create", "book")),
    "cancel": frozenset(("cancel",)),
    "change": frozenset(("change", "create")),
    "run": frozenset(("run",)),
}
# Nouns of tool names that tell the act where the name has no verb, or a verb of many meanings.
_NOUNS: Final[Mapping[Act, frozenset[str]]] = {
    "pay": frozenset(
        [
            "payment",
            "payments",
            "money",
            "funds",
            "fund",
            "transaction",
            "wire",
            "transfer",
            "przelew",
            "furikomi",
            "ikche",
            "bonifico",
            "pix",
            "tip",
            "donation",
            "refund",
            "remittance",
            "virement",
            "transferencia",
            "zahlung",
            "überweisung",
            "payout",
            "withdrawal",
            "deposit",
        ]
    ),
    "send": frozenset(
        [
            "message",
            "messages",
            "mail",
            "email",
            "sms",
            "dm",
            "mesaj",
            "mesaji",
            "reply",
            "post",
            "webpage",
            "notification",
        ]
    ),
    "book": frozenset(["booking", "reservation", "appointment", "order", "purchase", "checkout", "rebook"]),
    "create": frozenset(
        ["event", "attendee", "attendees", "participants", "participant", "invite", "invitation", "user", "ticket"]
    ),
    "cancel": frozenset(("iptal", "cancellation", "deletion", "return")),
    "change": frozenset(["update", "settings", "password", "patch", "respond", "set", "config", "configurar"]),
    "run": frozenset(["shell", "bash", "exec", "terminal", "command", "cmd", "script", "python"]),
}
# An act that a verb such as send or create only carries: send_money, create_cancellation.
_SPECIFIC: Final[frozenset[Act]] = frozenset(("pay", "cancel", "run"))
_CARRIERS: Final[frozenset[Act]] = frozenset(("send", "create", "book"))
_ABOUT_PAYMENT: Final = frozenset(("request", "link", "reminder", "confirmation", "quote"))  # send_payment_link
_WORD: Final = re.compile(r"[^\W\d_]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])")
_QUOTED: Final = re.compile(r"\"[^\"\n]{25,}\"|“[^”]{25,}”|«[^»]{25,}»|「[^」]{15,}」|„[^“”]{25,}[“”]")
# Words that deny a verb after them, with a word or two between: do not send; and forms that deny the verb before them.
_DENIED_BEFORE: Final = re.compile(
    r"(?:\b(?:don['’]?t|do not|does not|doesn['’]?t|not|never|without|no need to|nicht|kein\w*|niemals|ne"
    r"|n['’]|sans|no|sin|non|senza|não|sem|niet|geen|zonder|nie|bez|не|без)\W+(?:\w+\W+){0,2}"
    r"|n['’]|不要|别|不用|不必|勿|لا |لن |मत )\S?$",
    re.IGNORECASE,
)
_DENIED_AFTER: Final = re.compile(
    r"[^\s,.;!?]{0,8}(?:\s+(?:\w+\s+)?(?:nicht|niet|pas|jamais)\b|(?:しな|ら?な)い(?:で|よう)|(?:하지|지) ?(?:마|말)"
    r"|\s*(?:मत|नहीं)|\s*(?:etme|yapma|gönderme|yollama)\b|me(?:yin|sin)?\b(?=[.!]|$))",
    re.IGNORECASE,
)
_DENIAL_CHARS: Final = 24
_ACCENT: Final = re.compile("[\u0300-\u036f]")
_LETTERS: Final = str.maketrans("łıøđ", "liod")
_FAMILIES: Final = (frozenset(("es", "pt", "it", "fr")), frozenset(("de", "nl")))  # a short text may be either
_ALL: Final = frozenset((ANY, "en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "tr", "ar", "hi", "ja", "zh", "ko"))
_MAX_NAME_CHARS: Final = 200
_MAX_MESSAGE_CHARS: Final = 8_000


@lru_cache(maxsize=2048)
def acts_of_tool(name: str) -> frozenset[Act]:
    """Return the kinds of act that a tool of this name carries out; empty if its words are not known."""
    words = _words(name)
    found = {act for act in _ACTS if not _NOUNS[act].isdisjoint(words)} | _verbs(words)
    if words and words[-1] in _ABOUT_PAYMENT:
        found.discard("pay")
    return frozenset(found - _CARRIERS if found - _CARRIERS and not found.isdisjoint(_SPECIFIC) else found)


@lru_cache(maxsize=2048)
def looks_only(name: str) -> bool:
    """Return whether a tool's name says that it only reads; a noun such as mail does not say that it is sent."""
    words = _words(name)
    verbs = [word for word in words if not any(word in nouns for nouns in _NOUNS.values())]
    return _in_names("act_look").search(" ".join(words)) is not None and not _verbs(verbs)


def _words(name: str) -> list[str]:
    return [_unaccented(word.lower()) for word in _WORD.findall(name[:_MAX_NAME_CHARS])]


def _verbs(words: list[str]) -> set[Act]:
    # A verb may stand anywhere in a name, so each word is also read as the beginning of a sentence.
    texts = (" ".join(words), ". ".join(words))
    return {act for act in _ACTS if any(map(_in_names(f"act_{act}").search, texts))}


@cache
def _in_names(concept: str) -> re.Pattern[str]:
    """Return the patterns of a concept for names of tools, which are written without accents."""
    patterns = [pattern for _, pattern in read_wording(concept).expressions("patterns")]
    return re.compile("|".join(f"(?:{_unaccented(each)})" for each in patterns), re.IGNORECASE)


def _unaccented(text: str) -> str:
    if text.isascii():
        return text
    plain = "".join(each for each in unicodedata.normalize("NFKD", text) if not _ACCENT.match(each))
    return unicodedata.normalize("NFC", plain).translate(_LETTERS)


def acts_in(text: str) -> frozenset[Act]:
    """Return the kinds of act that a customer's message asks for; what is quoted or denied is not asked for."""
    return _acts_in(text[:_MAX_MESSAGE_CHARS])


@lru_cache(maxsize=1024)
def _acts_in(text: str) -> frozenset[Act]:
    own = without_quotations(text)
    spoken = _spoken(own)
    return frozenset(
        act
        for act in _ACTS
        if any(hit.language in spoken and not _is_denied(own, hit) for hit in matcher(f"act_{act}").find(own))
    )


def _spoken(text: str) -> frozenset[str]:
    """Return the languages that a message may be in: the likely one and its near relations, or all."""
    guess = language(text)
    if guess is None:
        return _ALL
    return next((family for family in _FAMILIES if guess in family), frozenset((guess,))) | {ANY, "en"}


def _is_denied(text: str, hit: ConceptMatch) -> bool:
    before, after = text[max(0, hit.start - _DENIAL_CHARS) : hit.start + 1], text[hit.end : hit.end + _DENIAL_CHARS]
    return _DENIED_BEFORE.search(before) is not None or _DENIED_AFTER.match(after) is not None


def without_quotations(text: str) -> str:
    """Return a message without the long texts that it quotes."""
    return _QUOTED.sub(" ", text)


def quotations(text: str) -> str:
    """Return the long texts that a message quotes, each on a line."""
    return "\n".join(_QUOTED.findall(text))


def is_asked(acts: Iterable[Act], requested: frozenset[Act]) -> bool:
    """Return whether one of a tool's acts is among those that were asked for."""
    return any(not _MEANT_BY[act].isdisjoint(requested) for act in acts)


@lru_cache(maxsize=1024)
def names_source(text: str) -> bool:
    """Return whether a message names a text as the place where something is written: a mail, a file, a bill."""
    return matcher("names_source").has(text[:_MAX_MESSAGE_CHARS])


@lru_cache(maxsize=1024)
def delegates_instructions(text: str) -> bool:
    """Return whether a message tells the agent to carry out what a text says, whatever that is."""
    own = without_quotations(text[:_MAX_MESSAGE_CHARS])
    return next(matcher("delegates_instructions").find(own), None) is not None
