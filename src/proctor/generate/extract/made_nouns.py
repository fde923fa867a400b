"""The nouns by which a prompt calls its whole answer: what it asks to write, in the words of many languages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from proctor.generate.extract.statements import Statement
from proctor.text.lazy_pattern import Lazy

__all__ = ["made_nouns"]

_MAKES: Final = Lazy(
    r"\b(?:write|writes|draft|compose|create|generate|produce|craft|prepare|summari[sz]e|translate|turn|return|"
    r"give|tell|"
    r"schreib\w*|verfass\w*|erstell\w*|erzeug\w*|formulier\w*|fass\w*|übersetz\w*|rédige\w*|écri\w+|crée\w*|"
    r"génère\w*|résume\w*|"
    r"tradui\w+|escrib\w*|redact\w*|crea\w*|genera\w*|resum\w*|traduc\w*|escrev\w*|redij\w*|cri[ae]\w*|gere|"
    r"traduz\w*|scriv\w*|"
    r"redig\w*|crea|riassum\w*|traduc\w*|schrijf\w*|maak\w*|vat|vertaal\w*)\b(?P<said>[^.;:\n]{3,80})",
    re.IGNORECASE,
)
_LESS: Final = Lazy(
    r"\s(?:with|of|in|for|from|about|mit|von|aus|für|über|avec|de|d['’]|pour|sur|dans|con|para|sobre|com|per|di|"
    r"su|met|van|voor|over|"
    r"that|which|die|der|das|qui|que|che)\s",
    re.IGNORECASE,
)
_SEVERAL: Final = Lazy(
    r"^\W*(?:an?|one|eine?[nr]?|une?|una?|uma?|een)\s+(?:\w+\s+){1,2}(?:and|und|et|y|e|en)\s+(?:an?|one|"
    r"eine?[nr]?|une?|una?|"
    r"uma?|een)\s",
    re.IGNORECASE,
)
# Nouns that do not begin as their verbs do.
_NOUNS: Final = (("summari", "summary"), ("fass", "zusammenfassung"), ("vat", "samenvatting"), ("riassum", "riassunto"))
_STEM: Final = 5
_FIRST: Final = 6  # statements: what is made is told at the beginning


def made_nouns(statements: Sequence[Statement]) -> tuple[str, ...]:
    """Return the words, in lower case, of what the first statements ask to make."""
    found: list[str] = []
    for each in [one for one in statements if not one.code and not one.item][:_FIRST]:
        if match := _MAKES.search(each.text):
            head = _LESS.split(f"{match['said']} ")[0]
            if _SEVERAL.search(match["said"]):
                return ()  # ``a caption and an alt text``: each of them is a part
            found += [word.lower() for word in re.findall(r"[^\W\d_]{4,}|\b[A-Z]{3}\b", head)]
            verb = match.group().split(maxsplit=1)[0].lower()
            if len(verb) > _STEM + 1:  # ``Résumez`` makes a ``résumé``, ``translate`` a ``translation``
                found.append(verb[: max(_STEM, len(verb) - 2)])
            found += [noun for stem, noun in _NOUNS if verb.startswith(stem)]
            break
    return tuple(dict.fromkeys(word for word in found if len(word) > 2))
