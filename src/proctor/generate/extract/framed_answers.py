"""Parts that stand beside the body of an answer: a title, a greeting, a fixed last line.

A prompt that asks for three sentences and a fixed farewell seldom says whether the farewell is one of the three. A
predicate must accept both readings, and one for every paragraph must not be for the title.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from proctor.generate.extract.predicate_text import checkable, quoted
from proctor.generate.extract.quantity_words import NEGATION
from proctor.generate.extract.quoted_literals import find_runs, literal_role
from proctor.generate.extract.statements import ASIDE_SECTIONS, Statement
from proctor.text.lazy_pattern import Lazy

__all__ = ["AnswerFrame", "frame_of"]

_NAMES: Final = Lazy(
    r"\b(?:titles?|headlines?|subject(?: line)?|headings?|greeting|salutation|sign-?off|signature|signed|closing "
    r"line|intro(?:duction)?|betreff\w*|titel\w*|überschrift\w*|einleitung|anrede|gru(?:ß|ss)\w*|unterschrift|"
    r"schlussformel|titres?|objet|introduction|chapeau|salutation|formule (?:finale|de politesse)|signature|asunto|"
    r"título|titular|encabezado|saludo|despedida|firma|assunto|manchete|saudação|assinatura|titolo|oggetto|"
    r"introduzione|saluto|onderwerp|aanhef|ondertekening|groet)\b|标题|称呼|落款|署名|件名|宛名|タイトル|見出し|挨拶",
    re.IGNORECASE,
)
_TITLES: Final = Lazy(
    r"title|headline|subject|heading|betreff|titel|überschrift|titre|objet|asunto|título|titular|encabezado|assunto|"
    r"manchete|titolo|oggetto|onderwerp|标题|件名|タイトル|見出し",
    re.IGNORECASE,
)
_LINE: Final = Lazy(r"\b(?:line|\w*zeile|ligne|l[ií]nea|linha|riga|regel|lini[aię])\b|行", re.IGNORECASE)
_OF_BODY: Final = re.compile(
    r"(?P<each>each (?:paragraph|line):) (?:(?P<measure>[a-z]+) between \d+ and (?P<most>\d+)$|"
    r"(?P<upper>[a-z]+ <=? |not |contains none))"
)
_SENTENCES: Final = re.compile(r"sentences (?:<=?|=|between) ")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFrame:
    """What stands beside the body: ``named`` is a word for it, ``ends`` are the fixed texts at the end."""

    named: str = ""
    ends: tuple[str, ...] = ()
    lined: bool = False  # an end is a line of its own

    def loosened(self, predicate: str) -> str | None:
        """Return the predicate that holds with and without these parts; None if there is none."""
        if _SENTENCES.match(predicate) and self.ends:
            either = [predicate, *(f"before {quoted([each])} {predicate}" for each in self.ends)]
            return checkable(" or ".join(either))
        counted = re.fullmatch(r"paragraphs (?:=|between|>=?) (?P<number>\d+).*", predicate)
        one = counted is not None and counted["number"] == "1"  # a greeting stands in the paragraph
        if counted and (_TITLES.search(self.named) if one else self.named or self.lined):
            return None
        if not self.named:
            return predicate
        if predicate.startswith("each sentence:") and _TITLES.search(self.named):
            return None  # a heading runs into the sentence below it
        if predicate.startswith(("each paragraph:", "each line:")):
            of_body = _OF_BODY.match(predicate)
            if of_body is None:
                return None
            if of_body["most"]:  # the title may be shorter
                return f"{of_body['each']} {of_body['measure']} <= {of_body['most']}"
        return predicate


def frame_of(statements: Sequence[Statement], made: Sequence[str], products: str) -> AnswerFrame:
    """Return what a prompt asks for beside the body; ``products`` is what the answer is a number of."""
    named, ends, lined = "", [], False
    for each in statements:
        if each.code or each.section in ASIDE_SECTIONS:
            continue
        for match in _NAMES.finditer(each.text):
            before = each.text[: match.start()]
            stem = match.group().lower()[:4]
            if any(noun.startswith(stem) for noun in (*made, products) if noun):
                continue
            if not re.search(rf"{NEGATION}[^,.;:]*$", before, re.IGNORECASE):
                named = named or match.group()
        for run in find_runs(each.text):
            role = literal_role(each.text, run)
            if role is not None and role.role == "end":
                lined = lined or _LINE.search(each.text) is not None
                ends += [text.strip() for text in run.texts if len(text.split()) > 1 or not text.isascii()]
    return AnswerFrame(named=named, ends=tuple(dict.fromkeys(ends)), lined=lined)
