"""Clauses of a prompt that ask something of the output, as sentences in the prompt's own words."""

from __future__ import annotations

import re
from typing import Final

from proctor.generate.extract.sentence_roles import (
    CHARGE,
    ENSURE,
    INPUT,
    NEGATIVE_CHARGE,
    OCCASION,
    OPENING,
    PERMISSION,
    ROLE,
    ROLE_DOES,
)
from proctor.generate.extract.verbs import (
    COMMANDS,
    OFTEN_NOUNS,
    THINKING,
    base_form,
    from_gerund,
    looks_like_command,
)
from proctor.text.lazy_pattern import Lazy

__all__ = ["about_input", "plain", "requested"]

_OUTPUT: Final = Lazy(
    r"(?:(?:all|any|each|every|the|your|of|final|entire|whole|full|generated|own)\s+)*"
    r"(?:outputs?|responses?|repl(?:y|ies)|results?|completion|generated text|answers?)\s+"
    r"(?:\*\*)?(?:must|should|shall|is|are|has|have|needs?|will|cannot|may|can|contains?|includes?|starts?|ends?|"
    r"consists?|does|do)\b",
    re.IGNORECASE,
)
_MODAL: Final = Lazy(
    r"(?P<subject>[^,;:]{0,100}?)\s*\b(?:must|should|shall|has to|have to|needs? to|ought to|is to|are to|"
    r"cannot|can only|may only|may not|can not|can never)\s+[a-z]+\b",
    re.IGNORECASE,
)
_COMMAND: Final = Lazy(
    r"(?P<adverb>(?:(?:always|only|never|do not|don[’']t|not|simply|just|briefly|clearly|carefully|"
    r"politely|strictly|directly|immediately|gently|explicitly|also|ever|kindly|"
    r"under no circumstances,?)\s+)*)"
    r"(?P<verb>[A-Za-z]+)\b(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
# What is said of a part of the output, of values in it, or as a limit, without a command.
_PART: Final = Lazy(
    r"(?:each|every|all|no|the (?:first|second|third|last|final|opening|closing)(?: and the \w+)?)\s+"
    r"(?:of the\s+)?(?:\w+\s+)?(?:entry|entries|item|bullet|line|sentence|paragraph|section|point|question|field|"
    r"value|name|key|step|word|heading|title|label|tag|stanza|slide|row|column|verse|chapter|option|summary)s?\s+"
    r"(?:is|are|has|have|begins?|starts?|ends?|contains?|includes?|uses?|gets?|consists?|follows?|does|do)\b"
    r"|(?:all )?(?:dates|times|prices|amounts|quantities|units|numbers|names|titles)\s+(?:are|must|should|have|use)\b"
    r"|none(?: of (?:them|the \w+|these))?\s+(?:is|are|has|have|may|must|should|[a-z]+s)\b"
    r"|(?:no|only|at most|at least|maximum|max|minimum|min|exactly|between|under|up to|never|always|"
    r"without|not|less than|fewer than|more than|one [a-z]+ per)\b",
    re.IGNORECASE,
)
_AIM: Final = Lazy(r"\s+(?:(?:in order|and use it) )?to (?P<verb>[a-z]+)\b", re.IGNORECASE)
# People and things outside the output: what they must do is no rule for it.
_OUTSIDE: Final = Lazy(
    r"\b(?:users?|customers?|inputs?|we|they|i|people|company|policy|orders?|account|students?|he|she|"
    r"who|which|system|database|payment|products?|employees?|members?|clients?|patients?|visitors?|buyers?|guests?|"
    r"drivers?|tenants?|refunds?|shipping|deliver(?:y|ies)|returns?)\b",
    re.IGNORECASE,
)
_GIVEN: Final = Lazy(
    r"(?:be (?:given|provided|presented|shown|asked|told|supplied|rewarded|paid|tested)|(?:see|"
    r"receive|get|find|act|play|pretend|behave|need|want|have access|be (?:an?|the)\b)\b)"
)
_LONGEST_SUBJECT: Final = 10  # words


def plain(text: str) -> str:
    """Return the text on one line, without emphasis marks."""
    pieces = re.split(r"(`[^`\n]*`|\"[^\"\n]*\"|«[^»\n]*»)", text)  # what is quoted stays as it is
    text = "".join(
        piece if at % 2 else re.sub(r"\*\*|__|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)", "", piece)
        for at, piece in enumerate(pieces)
    )
    return re.sub(r"\s+", " ", text).strip(" \t-–•,;")


def about_input(text: str) -> bool:
    """Whether a sentence describes the input."""
    text = _without_opening(plain(text))
    return bool(INPUT.match(text)) and not re.search(r"\byour (?:answer|response|output|reply)\b", text, re.IGNORECASE)


def requested(clause: str, *, first: bool = True, barred: bool = False) -> str | None:
    """The clause as a sentence; None where it is about a role, an input or the world.

    ``barred`` is for an item under a line such as "Do not:", which is a command without its first words.
    """
    text = _without_opening(plain(clause).rstrip(".!:;。 "))
    if barred:
        return _closed(_denied(text))
    if not text or PERMISSION.match(text):
        return None
    if not _asks(text, first=first):
        return None
    word, _, rest = text.partition(" ")
    if not first and rest and (verb := from_gerund(word)):
        text = f"{verb} {rest}"
    return _closed(text[:1].upper() + text[1:])


def _denied(text: str) -> str:
    bare = re.sub(r"^(?:do not|don[’']t|never|avoid|no)\s+", "", text, flags=re.IGNORECASE)
    word, _, rest = bare.partition(" ")
    verb = from_gerund(word) or word.lower()
    if verb in COMMANDS or looks_like_command(verb, rest):
        return f"Do not {verb}{bare[len(word) :]}"
    return f"No {bare[:1].lower()}{bare[1:]}"


def _asks(text: str, *, first: bool = True) -> bool:
    if (charged := _is_charge(text)) is not None:
        return charged
    if INPUT.match(text):
        return False
    if ROLE.match(text):
        return _role_acts(text)
    if re.search(r"\byou (?:have )?(?:read|understand)\b|\brefer to it\b|\bthis document open\b", text, re.IGNORECASE):
        return False
    if ENSURE.match(text) or _is_command(text):
        return True
    if occasion := OCCASION.match(text):
        rest = _without_opening(text[occasion.end() :])
        if _is_charge(rest) or _is_command(rest) or _is_stated(rest):
            return True
    if re.match(r"you\s+[a-z]+", text, re.IGNORECASE):
        return _is_duty(text)
    gerund = None if first else from_gerund(text.split(" ", 1)[0])
    return gerund is not None or _is_stated(text)


def _is_charge(text: str) -> bool | None:
    """``You must …``, ``Your task is to …``: what follows is a command, whatever its verb; None for other sentences."""
    if NEGATIVE_CHARGE.match(text):
        return True
    charge = CHARGE.match(text)
    if charge is None:
        return None
    rest = _without_opening(text[charge.end() :])
    word = rest.split(" ", 1)[0]
    return not _GIVEN.match(rest) and _is_command((from_gerund(word) or word) + rest[len(word) :], sure=True)


def _role_acts(text: str) -> bool:
    """Reword what a role does; the role itself requires nothing of the output."""
    if not re.search(
        r"\b(?:only|never|always|must|should|not|exactly|will|(?:speak|talk|sound|respond|write|"
        r"answer)s? (?:in|like|as))\b",
        text,
        re.IGNORECASE,
    ):
        return False
    verbs = (match.group("verb").lower() for match in ROLE_DOES.finditer(text))
    return any((from_gerund(verb) or base_form(verb)) in COMMANDS - THINKING for verb in verbs)


def _is_duty(text: str) -> bool:
    verb = text.split(" ", 2)[1].lower()
    if verb in ("only", "never", "always", "do", "don't", "cannot", "can", "don’t"):
        return _is_command(text.split(" ", 1)[1], sure=True)
    return verb in COMMANDS and _is_command(text.split(" ", 1)[1])


def _is_command(text: str, *, sure: bool = False) -> bool:
    text = _without_opening(text)
    match = _COMMAND.match(text)
    if match is None:
        return False
    verb, rest, adverb = match["verb"].lower(), match["rest"], match["adverb"].lower().strip()
    following = rest.strip(" :").split(" ", 1)[0]
    begun = text[:1].isupper() and verb in COMMANDS - OFTEN_NOUNS and bool(re.match(r"[a-z]", following))
    if not sure and not begun and not looks_like_command(verb, following, adverb=adverb):
        return False
    if verb in THINKING and not re.search(r"\b(?:not|don[’']t|never)\b", adverb):
        aim = _AIM.search(rest)
        return aim is not None and aim["verb"].lower() in COMMANDS - THINKING
    if verb in ("do", "have", "let", "get", "stop") and rest.strip().lower() in ("", "not", "this", "the following"):
        return False
    # A noun that is spelt like a command.
    noun = not sure and re.match(r"\s+(?:[a-z]+s\s+)?(?:is|are|was|must|should|will|can|may|shall)\b", rest)
    if (
        not sure
        and verb in OFTEN_NOUNS
        and re.match(r"\s+[a-z]+s\s+(?:have|look|follow|start|begin|contain|consist)\b", rest)
    ):
        return False
    announced = rest[:1] == ":" and verb in ("say", "reply", "respond", "answer", "write", "output", "return", "print")
    return (announced or rest[:1] not in (":", "/")) and not noun


def _is_stated(text: str) -> bool:
    """``Your answer should have three parts``: what must be of the output, or of something in it."""
    if _OUTPUT.match(text) or _PART.match(text):
        return True
    bound = _MODAL.match(text)
    if bound is None:
        return False
    subject = bound["subject"]
    return not _OUTSIDE.search(subject) and len(subject.split()) <= _LONGEST_SUBJECT


def _without_opening(text: str) -> str:
    match = OPENING.match(text)
    rest = text[match.end() :] if match else text
    return rest if rest.strip() else text


def _closed(text: str) -> str:
    text = re.sub(r"\s+", " ", text).strip().rstrip(":;,. ")
    return text if re.search(r"[!?。][\"”'」]?$|\.[\"”'」]$", text) else text + "."
