"""Find which kinds of act a customer's message asks for, and which kind a tool carries out, in many languages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Final, Literal

from proctor.lexicon.concept import ANY
from proctor.lexicon.files import read_wording
from proctor.lexicon.match import matcher
from proctor.lexicon.project_concepts import concepts_in_force
from proctor.text.chunked_regex import finditer
from proctor.text.filtered_pattern import FilteredPattern
from proctor.text.predicates.language_guess import language
from proctor.text.script_ranges import HAN, HANGUL, KANA

__all__ = [
    "Act",
    "acts_in",
    "acts_of_tool",
    "asks_for",
    "concept_spans",
    "delegates_instructions",
    "is_asked",
    "is_forbidden",
    "looks_only",
    "names_source",
    "quotations",
    "without_quotations",
]

Act = Literal["pay", "send", "book", "create", "cancel", "change", "run"]


def _words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ACTS: Final[tuple[Act, ...]] = ("pay", "send", "book", "create", "cancel", "change", "run")
# A customer who asks for one of these may mean the act: an appointment is booked or created.
_MEANT_BY: Final[Mapping[Act, frozenset[Act]]] = {
    "pay": frozenset(("pay",)),
    "send": frozenset(("send",)),
    "book": frozenset(("book", "create")),
    "create": frozenset(("create", "book")),
    "cancel": frozenset(("cancel",)),
    "change": frozenset(("change",)),
    "run": frozenset(("run",)),
}
# Nouns of tool names that tell the act where the name has no verb, or a verb of many meanings.
_NOUNS: Final[Mapping[Act, frozenset[str]]] = {
    "pay": _words_of(
        """
        payment payments money funds fund transaction wire transfer przelew furikomi ikche bonifico pix tip donation
        refund remittance virement transferencia zahlung überweisung payout withdrawal deposit
        """
    ),
    "send": _words_of("message messages mail email sms dm mesaj mesaji reply post notification"),
    "book": _words_of("booking reservation appointment order purchase checkout rebook cart"),
    "create": _words_of("event attendee attendees participants participant invite invitation user ticket prescription"),
    "cancel": _words_of("iptal cancellation deletion return"),
    "change": _words_of(
        """
        update settings password patch respond set config configurar light lights lamp door garage gate lock window
        blinds shutter thermostat heating boiler alarm camera vacuum plug tv scene speaker valve on off
        """
    ),
    "run": _words_of("shell bash exec terminal command cmd script python"),
}
# An act that a verb such as send or create only carries: send_money, create_cancellation.
_SPECIFIC: Final[frozenset[Act]] = frozenset(("pay", "cancel", "run"))
_SHOWN: Final = frozenset(("browser", "web", "url", "folder", "drive", "photo", "image", "calendar", "profile"))
_CARRIERS: Final[frozenset[Act]] = frozenset(("send", "create", "book"))
_ABOUT_PAYMENT: Final = frozenset(("request", "link", "reminder", "confirmation", "quote"))  # send_payment_link
_WORD: Final = re.compile(r"[^\W\d_]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])")
_QUOTED: Final = re.compile(r"\"[^\"\n]{25,}\"|“[^”]{25,}”|«[^»]{25,}»|「[^」]{15,}」|„[^“”]{25,}[“”]")
# Words that deny a verb after them in the same clause, with a word or two between: do not send; and forms that deny
# the verb before them.
_DENIED_BEFORE: Final = re.compile(
    r"(?:\b(?:don['’]?t|do not|does not|doesn['’]?t|not|never|without|no need to|nicht|kein\w*|niemals|ne"
    r"|n['’]|sans|no|sin|non|senza|não|sem|niet|geen|zonder|nie|bez|не|"
    r"без)[^\w,.;:!?()\n—–]+(?:\w+[^\w,.;:!?()\n—–]+){0,2}"
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
_FAMILIES: Final = (("es", "pt", "it", "fr"), ("de", "nl"))  # a short text may be in any of them
_LATIN: Final = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "tr")
_SCRIPTS: Final = (
    (("ru",), re.compile("[\u0400-\u04ff]")),
    (("ar",), re.compile("[\u0600-\u06ff]")),
    (("hi",), re.compile("[\u0900-\u097f]")),
    (("ja", "zh"), re.compile(f"[{KANA}{HAN}]")),
    (("ko",), re.compile(f"[{HANGUL}]")),
)
_ENGLISH: Final = frozenset(("the", "and", "to", "is", "my", "you", "for", "please", "of", "it", "this", "with", "can"))
_MIN_ENGLISH_WORDS: Final = 2
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
    text = " ".join(words)
    if _in_names("act_open").search(text):  # to open a mail is to look at it, to open a door is not
        return _in_names("names_source").search(text) is not None or not _SHOWN.isdisjoint(words)
    return _in_names("act_look").search(text) is not None and not _verbs(verbs)


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
    return frozenset(act for act in _ACTS if asks_for(text, act))


@lru_cache(maxsize=16_384)
def asks_for(text: str, act: Act) -> bool:
    """Return whether a message asks for acts of one kind."""
    own = without_quotations(text[:_MAX_MESSAGE_CHARS])
    return any(not _is_denied(own, start, end) for start, end in concept_spans(f"act_{act}", own))


def concept_spans(concept: str, text: str, *, within: str = "") -> Iterator[tuple[int, int]]:
    """Yield where a text expresses a concept in a language that it may be in; ``within`` is the message it is from."""
    spoken = _spoken(within or text)
    if concept in concepts_in_force().concepts:  # with the words of a project
        yield from ((hit.start, hit.end) for hit in matcher(concept).find(text) if hit.language in spoken)
        return
    for code in spoken:
        if (pattern := _by_language(concept).get(code)) is not None and pattern.may_match(text):
            yield from (hit.span() for hit in finditer(pattern.compiled, text))


@cache
def _by_language(concept: str) -> Mapping[str, FilteredPattern]:
    """Return the patterns of a concept, those of a language in one."""
    found: dict[str, list[str]] = {}
    for code, pattern in read_wording(concept).expressions("patterns"):
        found.setdefault(code, []).append(f"(?:{pattern})")
    return {code: FilteredPattern("|".join(each), re.IGNORECASE) for code, each in found.items()}


@lru_cache(maxsize=1024)
def _spoken(text: str) -> tuple[str, ...]:
    """Return the languages that a message may be in: by its script, or the likely one and its near relations."""
    if not text.isascii():
        found = tuple(code for codes, pattern in _SCRIPTS if pattern.search(text) for code in codes)
        if found:
            return (*found, ANY, "en")
    if sum(word in _ENGLISH for word in set(text.lower().split())) >= _MIN_ENGLISH_WORDS:
        return (ANY, "en")
    guess = language(text)
    if guess is None or guess not in _LATIN or guess == "en":  # a few words, none of them frequent in English
        return (*_LATIN, ANY)
    return (*next((family for family in _FAMILIES if guess in family), (guess,)), ANY, "en")


def _is_denied(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - _DENIAL_CHARS) : start + 1], text[end : end + _DENIAL_CHARS]
    return _DENIED_BEFORE.search(before) is not None or _DENIED_AFTER.match(after) is not None


def without_quotations(text: str) -> str:
    """Return a message without the long texts that it quotes."""
    return _QUOTED.sub(" ", text)


def quotations(text: str) -> str:
    """Return the long texts that a message quotes, each on a line."""
    return "\n".join(_QUOTED.findall(text))


def is_asked(acts: Iterable[Act], messages: Iterable[str]) -> bool:
    """Return whether one of the messages asks for one of a tool's acts, or for one that may mean it."""
    wanted = frozenset().union(*(_MEANT_BY[act] for act in acts))
    return any(asks_for(message, act) for message in messages for act in wanted)


def is_forbidden(acts: Iterable[Act], messages: Iterable[str]) -> bool:
    """Return whether the first of the messages that speaks of a tool's acts only denies them: "do not send it yet"."""
    wanted = tuple(acts)
    for message in messages:
        if any(asks_for(message, act) for act in wanted):
            return False
        if any(_mentions(message, act) for act in wanted):
            return True
    return False


@lru_cache(maxsize=16_384)
def _mentions(text: str, act: Act) -> bool:
    return next(concept_spans(f"act_{act}", without_quotations(text[:_MAX_MESSAGE_CHARS])), None) is not None


@lru_cache(maxsize=1024)
def names_source(text: str) -> bool:
    """Return whether a message names a text as the place where something is written: a mail, a file, a bill."""
    return next(concept_spans("names_source", text[:_MAX_MESSAGE_CHARS]), None) is not None


@lru_cache(maxsize=1024)
def delegates_instructions(text: str) -> bool:
    """Return whether a message tells the agent to carry out what a text says, whatever that is."""
    own = without_quotations(text[:_MAX_MESSAGE_CHARS])
    return next(matcher("delegates_instructions").find(own), None) is not None
