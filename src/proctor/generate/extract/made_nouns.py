"""The nouns by which a prompt calls its whole answer: what it asks to write, in the words of many languages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from proctor.generate.extract.asked_amounts import find_amounts
from proctor.generate.extract.limit_subject import PER
from proctor.generate.extract.number_words import COUNT
from proctor.generate.extract.statements import ASIDE_SECTIONS, Statement
from proctor.text.lazy_pattern import Lazy

__all__ = ["MAKES", "made_nouns"]

MAKES: Final = Lazy(
    r"\b(?:write|draft|compose|create|generate|produce|craft|prepare|summari[sz]e|translate|turn|return|give|"
    r"tell)(?:s|ing)?\b(?:[^.;:\n]{1,60}?\binto\b)?(?P<made>[^.;:\n]{3,80})|\b(?:schreib\w*|verfass\w*|erstell\w*|"
    r"erzeug\w*|formulier\w*|fass\w*|übersetz\w*|rédige\w*|écri\w+|crée\w*|génère\w*|résume\w*|tradui\w+|escrib\w*|"
    r"redact\w*|crea\w*|genera\w*|resum\w*|traduc\w*|escrev\w*|redij\w*|cri[ae]\w*|gere|traduz\w*|scriv\w*|redig\w*|"
    r"crea|riassum\w*|traduc\w*|schrijf\w*|maak\w*|vat|vertaal\w*)\b(?P<said>[^.;:\n]{3,80})",
    re.IGNORECASE,
)
_LESS: Final = Lazy(
    r"\s(?:with|of|in|for|from|about|mit|von|aus|für|über|avec|de|d['’]|pour|sur|dans|con|para|sobre|com|per|di|su|"
    r"met|van|voor|over|that|which|die|der|das|qui|que|che)\s",
    re.IGNORECASE,
)
_SEVERAL: Final = Lazy(
    r"^\W*(?:an?|one|eine?[nr]?|une?|una?|uma?|een)\s+(?:\w+\s+){1,2}(?:and|und|et|y|e|en)\s+(?:an?|one|eine?[nr]?|"
    r"une?|una?|uma?|een)\s",
    re.IGNORECASE,
)
# Nouns that do not begin as their verbs do.
_NOUNS: Final = (("summari", "summary"), ("fass", "zusammenfassung"), ("vat", "samenvatting"), ("riassum", "riassunto"))
_STEM: Final = 5
_OPENING: Final = 3  # statements that say who answers, and what
_FIRST: Final = 6  # statements: what is made is told at the beginning


# The first noun of a sentence: ``Opis ma od 40 do 70 słów``, ``The minutes must not be longer than …``.
_SUBJECT: Final = re.compile(
    r"\W*(?:(?:the|each|every|der|die|das|la|le|les|l['’]|il|lo|i|el|los|las|o|a|de|het)\s+)?(?P<noun>[^\W\d_]{3,})\s",
    re.IGNORECASE,
)


def made_nouns(statements: Sequence[Statement], code: str = "") -> tuple[str, ...]:
    """Return the words, in lower case, of what the first statements ask to make; ``code`` is their language."""
    found: list[str] = []
    told = [each for each in statements if not each.code and not each.item][:_FIRST]
    for each in told:
        if match := MAKES.search(each.text):
            said = match["made"] or match["said"]
            if re.match(r"\s*to\b", said):
                continue  # ``You help charities write to foundations``
            head = _LESS.split(f"{said} ")[0]
            if _SEVERAL.search(said):
                return ()  # ``a caption and an alt text``: each of them is a part
            found += [word.lower() for word in re.findall(r"[^\W\d_]{4,}|\b[A-Z]{3}\b", head)]
            verb = match.group().split(maxsplit=1)[0].lower()
            if len(verb) > _STEM + 1:  # ``Résumez`` makes a ``résumé``, ``translate`` a ``translation``
                found.append(verb[: max(_STEM, len(verb) - 2)])
            found += [noun for stem, noun in _NOUNS if verb.startswith(stem)]
            break
    found += _limited(statements, " ".join(each.text for each in told[:_OPENING]).lower(), code)
    return tuple(dict.fromkeys(word for word in found if len(word) > 1))


def _limited(statements: Sequence[Statement], opening: str, code: str) -> list[str]:
    """Return the noun of the opening that is the subject of limits, if there is only one: with two, each is a part."""
    words = {word[:_STEM] for word in re.findall(r"[^\W\d_]{2,}", opening)}
    nouns: set[str] = set()
    for each in statements:
        subject = None if each.code or each.section in ASIDE_SECTIONS else _SUBJECT.match(each.text)
        indefinite = code in ("", "en") and re.match(r"\W*(?:an?|each|every)\s", each.text, re.IGNORECASE)
        each_one = subject is not None and PER.fullmatch(subject["noun"])  # ``Cada cartão tem``
        if subject and not indefinite and not each_one and next(find_amounts(each.text, code), None):
            noun = re.sub(r"(?<=[가-힣])(?:은|는|이|가)$", "", subject["noun"].lower())
            nouns.update({noun} if noun[:_STEM] in words or any(word.startswith(noun) for word in words) else ())
    counted = any(
        re.search(rf"{COUNT}\s+{re.escape(noun[:_STEM])}", each.text, re.IGNORECASE)
        for noun in nouns
        for each in statements
    )
    return list(nouns) if len(nouns) == 1 and not counted else []
