"""Find amounts in a sentence of any language: a bound, a number and what is counted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from proctor.generate.extract.number_words import COUNT, ONE, count_of, in_digits
from proctor.generate.extract.quantity_words import AFTER, BEFORE, FRENCH_UNITS, LOOSE, NEGATION, UNITS
from proctor.text.lazy_pattern import Lazy

__all__ = ["AND", "JOINT", "AskedAmount", "find_amounts", "unit_pattern"]

JOINT: Final = (
    r"\s*(?:(?:-|–|—|~|～|〜|至|到|から|和)|(?:to|and|or|bis|und|oder|à|et|ou|y|a|o|e|tot|en|i|do|til|till|до|ile|až|és|și|ja|"
    r"đến|hingga|sampai|إلى|से|에서)(?=\s))\s*(?:(?:the|die|le|les|las|los|as|os|i)\s+)?"
)
_BETWEEN: Final = (
    r"(?:between|from|zwischen|von|entre|de|tra|fra|da|tussen|van|от|od)(?:\s+(?:die|les?|las|los|as|os|i))?"
)
_ADJECTIVE: Final = (
    r"(?:(?!(?:per|for|and|the|each|every|with|from|par|pro|por|von|mit|und|oder|avec|pour|con|que|para|com|per|een|"
    r"van|voor)\s)[^\W\d_]{3,}\s+){0,2}?"
)
# One of something is an amount only where a word says that there is no second one.
_LONE: Final = re.compile(
    r"(?:\bonly|\bsingle|\bexactly|\bjust|\bin|\bon|\bas|\binto|\bto|\bis|\bist|\best|\bes|\bhas|\bask\w*|"
    r"\beinzig\w*|\bgenau|\bnur|\bauf|\bdans|\ben|\bsur|\bseule?|\bsolo|\bsola|\búnic[oa]|\bem|\bnuma?|\bunic[oa]|"
    r"\bsu|\bwith|\bmit|\bavec|\bcon|\bcom|\bв|\bhat|\bhaben|\bcomporte|\bcontient|\btiene|\btener|\btem|\bter|\bha|"
    r"\bavere|\bheeft|\bmieć|\bma|\bhave|只|用|以|成|带)\W*$",
    re.IGNORECASE,
)
_LONE_AFTER: Final = re.compile(
    r"\s*(?:only\b|alone\b|nur\b|seule\b|sol[oa]\b|apenas\b|だけ|のみ|で|に)", re.IGNORECASE
)
_LONE_WORD: Final = re.compile(r"(?:single|sol[oa]|seule?|einzig\w*|únic[oa]|unic[oa])\s+$", re.IGNORECASE)
_MARKS: Final = ("emoji", "questions", "exclamations", "links")
_ONE_OF: Final = re.compile(
    r"\b(?:(?:any )?one of|eine[rsm]? (?:der|von|aus)|une? (?:seule )?(?:des|de)|un[oa]? (?:de (?:l[oa]s )?|dei|"
    r"delle|degli|"
    r"tra)|uma? d[eoa]s?|[eé]én van(?: de)?|jed(?:en|na|no|ną|nym|nego) z[e]?|jed(?:en|na|no|ním) z|од(?:ин|на|но|"
    r"ной|ну) из|"
    r"одн\w+ з|en av|ett av|en af|biri)\s*(?:the |these |those |die |diesen? |las |los |as |os )?$",
    re.IGNORECASE,
)
_ORDINAL: Final = re.compile(
    r"\b(?:first|last|next|erste\w*|letzte\w*|premi\w+|derni\w+|primer\w*|últim\w+|primeir\w+|ultim\w+|prim[ao]|"
    r"eerste|laatste)\b",
    re.IGNORECASE,
)
_NAMES_PART: Final = re.compile(r"(?<=つの文)は|(?<=一文)(?:は|を|が|あたり)")  # ``one sentence`` stands for each
_NOT_COUNTED: Final = re.compile(
    r"\s*(?:breaks?|lengths?|(?<=line )(?:descriptions?|summar(?:y|ies)|explanations?|comments?)|"
    r"of the (?:text|input|article|document|original|question|user)|from the\b|in the (?:text|"
    r"input)|的(?!回答|回复|答案|内容)|que (?:te|le|vous) |の入力|apart\b|,?\s+(?:without|excluding|not counting|not "
    r"including|ohne|sans compter|sin contar|sem contar|senza contare|zonder)\b|(?:不含|不包括|を除))",
    re.IGNORECASE,
)


# ``seven bullets altogether at most``
_IN_ALL: Final = (
    r"(?:altogether|in total|overall|in all|insgesamt|en tout|au total|en total|no total|in totale|in totaal)"
)
# ``at most five sentences and 100 words``: one bound for both.
AND: Final = re.compile(r"\s*(?:and|und|et|y|e|en|i|a|och|og|ve|és|și|ja|та|и|και|và|dan|と|和|및)\s*", re.IGNORECASE)
_LEAST: Final = re.compile(
    rf"(?:{dict(BEFORE)['>=']})\s*(?P<low>{COUNT})\s*(?:[^\W\d_]+\s*)?"
    r"(?:,|,?\s*\b(?:and|but|und|et|y|e|en|mais|i|och|og)\b|且|、)\s*$",
    re.IGNORECASE,
)
_LIST: Final = Lazy(
    r"\b(?:numbered|bulleted|list|aufzählung|liste|nummeriert\w*|numérotée?s?|puces|lista|numerad[oa]s?|elenco|"
    r"numerat[oaie]|lijst|genummerd\w*|opsomming|lista|listę|numerowan\w+)\b|列表|编号|番号付き|箇条書き",
    re.IGNORECASE,
)
_STEPS: Final = Lazy(
    r"(?<=\s)(?:points|steps|suggestions|entries|punkte[n]?|schritte[n]?|einträge[n]?|étapes|éléments|pasos|puntos|"
    r"elementos|passos|pontos|itens|punti|passaggi|passi|voci|punten|stappen|kroki|kroków|punktów|punkty)(?=\W|$)",
    re.IGNORECASE,
)
_EXACTLY: Final = Lazy(
    r"exactly|precisely|genau|exactement|exactamente|exatamente|esattamente|precies|ровно|dokładnie|exakt|正好|"
    r"恰好|ちょうど|必ず",
    re.IGNORECASE,
)
_PER_ANSWER: Final = Lazy(
    r"\s+(?:per|pro|par|por|a)\s+(?:message|reply|response|answer|turn|time|nachricht|antwort|message|réponse|mensaje|"
    r"respuesta|mensagem|resposta|messaggio|risposta|bericht|antwoord)\b",
    re.IGNORECASE,
)
_DENIED: Final = Lazy(rf"(?:{NEGATION}|\bnone\b)[^.;,:]{{0,60}}$", re.IGNORECASE)
# ``no capitals, hashtags or more than``: the negation is of all members of the list.
_DENIED_LIST: Final = Lazy(
    rf"{NEGATION}[^.;:]{{0,90}}(?:\b(?:or|nor|oder|noch|ou|ni|o|nem|né|of|lub|ani|eller|veya)|或|や)\s*$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedAmount:
    """An amount: its measure, its form (``<=``, ``between``, …), its numbers and where it stands.

    ``bare`` is whether no word bounds it, as in ``three sentences``.
    """

    measure: str
    form: str
    low: int
    high: int
    start: int
    end: int
    bare: bool = False
    exact: bool = False  # a word such as ``exactly`` says so

    @property
    def bound(self) -> str:
        """The amount as a predicate has it, without its measure."""
        return f"between {self.low} and {self.high}" if self.form == "between" else f"{self.form} {self.low}"


@cache
def unit_pattern(code: str) -> str:
    """Return a pattern with one group, ``unit``, for everything that is counted in this language."""
    units = (*UNITS, *(FRENCH_UNITS if code == "fr" else ()))
    return "(?P<unit>" + "|".join(f"(?:{pattern})" for _, pattern in units) + r")(?![^\W\d_一-鿿ぁ-ヿ가-힯])"


@cache
def _pattern(code: str) -> re.Pattern[str]:
    gap = r"[\s\u00a0-]*"
    return re.compile(
        rf"(?:{_BETWEEN}\s+)?(?P<low>{COUNT})(?:{JOINT}(?P<high>{COUNT}))?{gap}(?:个|の|つの)?{_ADJECTIVE}"
        rf"{unit_pattern(code)}",
        re.IGNORECASE,
    )


@cache
def _bounds() -> tuple[tuple[str, re.Pattern[str], re.Pattern[str] | None], ...]:
    after = dict(AFTER)
    return tuple(
        (
            form,
            re.compile(
                rf"(?:(?<=\W)|^|(?<=[一-鿿ぁ-ヿ가-힯]))(?:{before})(?:\s+(?:jamais|pas|nie|niemals|nicht|ever))?\s*"
                r"(?:(?:the|die|de|het|les|los|las|os|as|i|le|in|w|we|v|ve|auf|en|na|в|на)\s+)?[提问用写有出]{0,2}$",
                re.IGNORECASE,
            ),
            re.compile(rf"\s*(?:の\w{{0,4}}|{_IN_ALL}\s+)?(?:{after[form]})", re.IGNORECASE) if form in after else None,
        )
        for form, before in BEFORE
    )


def find_amounts(text: str, code: str = "") -> Iterator[AskedAmount]:
    """Yield the amounts of a sentence, in order; approximate ones are left out."""
    text = in_digits(text, code)
    found = [*_with_shared_bounds(_found(text, code), text), *_stated(text, code)]
    yield from found
    if _LIST.search(text):
        listed = _STEPS.sub(lambda noun: "条目".ljust(len(noun.group())), text)
        yield from (
            each
            for each in _found(listed, code)
            if each.measure == "items" and not any(one.start < each.end and each.start < one.end for one in found)
        )


def _with_shared_bounds(found: Iterable[AskedAmount], text: str) -> Iterator[AskedAmount]:
    """Yield the amounts; a bare one that is joined to an upper bound has this bound, too."""
    last: AskedAmount | None = None
    for each in found:
        joined = last is not None and AND.fullmatch(text, last.end, each.start)
        if joined and last is not None and each.bare and last.form in ("<=", "<") and last.measure != each.measure:
            each = replace(each, form=last.form, bare=False)  # noqa: PLW2901
        yield each
        last = each


def _found(text: str, code: str) -> Iterator[AskedAmount]:
    for match in _pattern(code).finditer(text):
        start = match.start("low")
        head = text[max(0, match.start() - 60) : match.start()]
        near = text[max(0, start - 60) : start]
        if re.search(LOOSE, head, re.IGNORECASE) or re.match(
            r"\s*(?:左右|程度|くらい|ほど|or so\b)", text[match.end() :]
        ):
            continue
        if _ONE_OF.search(near):
            continue  # ``one of three sentences``
        if _NOT_COUNTED.match(text, match.end()):
            continue
        if _ORDINAL.search(text[match.end("low") : match.start("unit")]) or _NAMES_PART.match(text, match.end()):
            continue
        adjective = text[match.end("high" if match["high"] else "low") : match.start("unit")].strip(" -\u00a0个のつ")
        if adjective and code == "und":
            continue  # the words between may be of another noun
        lone = _LONE_WORD.search(text[match.end("low") : match.start("unit")])
        if adjective and not lone and _measure(match["unit"]) in ("questions", "exclamations", "emoji"):
            continue  # ``one guiding question``: others may be there
        found = _bounded(match, near, text)
        if found is not None:
            yield found


_TIMES: Final = r"(?:times|mal|fois|veces|vezes|volte|keer|razy|раза?|gånger|gange|kere|kez|defa)\b"


@cache
def _stated_pattern(code: str) -> re.Pattern[str]:
    bounds = "|".join(f"(?P<bound{at}>{before})" for at, (_, before) in enumerate(BEFORE))
    return re.compile(
        rf"{unit_pattern(code).rsplit('(?!', 1)[0]}\s*(?:[:：]|는|은|は|が|全文|总共|一共|\s)\s*(?:{bounds})\s*"
        rf"(?P<low>{COUNT})"
        rf"(?:\s*{_TIMES})?(?!\s*[^\W\d_])",
        re.IGNORECASE,
    )


def _stated(text: str, code: str) -> Iterator[AskedAmount]:
    """Yield amounts whose unit comes first: ``Emoji: max 1``, ``느낌표는 최대 1개``."""
    for match in _stated_pattern(code).finditer(re.sub(r"(?<=[0-9])(?:개|個|个|つ|回)", " ", text)):
        form = next(form for at, (form, _) in enumerate(BEFORE) if match[f"bound{at}"])
        low = count_of(match["low"])
        yield AskedAmount(
            measure=_measure(match["unit"]), form=form, low=low, high=low, start=match.start(), end=match.end()
        )


def _bounded(match: re.Match[str], near: str, text: str) -> AskedAmount | None:
    low = count_of(match["low"])
    measure = _measure(match["unit"])
    first, end = match.start(), match.end()
    if match["high"]:
        high = count_of(match["high"])
        capped = re.search(rf"(?:{BEFORE[0][1]}|{BEFORE[1][1]})\s*$", near, re.IGNORECASE)
        if capped and not capped.group().startswith(("控制", "限制")):
            return AskedAmount(measure=measure, form="<=", low=max(low, high), high=high, start=first, end=end)
        if high <= low:
            return None
        return AskedAmount(measure=measure, form="between", low=low, high=high, start=first, end=end)
    for form, before, after in _bounds():
        if bound := before.search(near):
            begin = match.start("low") - len(near) + bound.start()
            denied = form == ">" and (_DENIED.search(text[: match.start("low")]) or _DENIED_LIST.search(text[:begin]))
            asked = "<=" if denied else form
            if asked == "<=" and (other := _LEAST.search(text[:begin])):  # ``at least three and no more than seven``
                least = count_of(other["low"])
                if least < low:
                    return AskedAmount(
                        measure=measure, form="between", low=least, high=low, start=other.start(), end=end
                    )
            exact = asked == "=" and _EXACTLY.search(bound.group()) is not None
            return AskedAmount(measure=measure, form=asked, low=low, high=low, start=begin, end=end, exact=exact)
        if after is not None and (bound := after.match(text, end)):
            return AskedAmount(measure=measure, form=form, low=low, high=low, start=first, end=bound.end())
    alone = not near.strip() and re.match(r"\s*(?:[.,;!:。，；]|$)", text[end:]) is not None  # all of an item
    if match["low"].lower() in ONE and not (
        alone
        or _LONE.search(near)
        or _LONE_AFTER.match(text, end)
        or _PER_ANSWER.match(text, end)
        or _LONE_WORD.search(text[match.end("low") : match.start("unit")])
        or (_is_single(match, near) and measure in ("sentences", "lines", "paragraphs"))
    ):
        return None
    lone = _LONE_WORD.search(text[match.end("low") : match.start("unit")]) and measure in _MARKS
    # ``one question per message``, ``a single emoji``
    single = match["low"].lower() in ONE and (_PER_ANSWER.match(text, end) is not None or bool(lone))
    form, bare = ("<=", False) if single else ("=", True)
    return AskedAmount(measure=measure, form=form, low=low, high=low, start=first, end=end, bare=bare)


def _is_single(match: re.Match[str], near: str) -> bool:
    """Whether the number itself says that there is no second one: ``a single paragraph``."""
    return _LONE_WORD.match(f"{match['low']} ") is not None and not re.search(NEGATION, near, re.IGNORECASE)


@cache
def _measure(noun: str) -> str:
    for measure, pattern in (*UNITS, *FRENCH_UNITS):
        if re.fullmatch(pattern, noun, re.IGNORECASE):
            return measure
    return "words"
