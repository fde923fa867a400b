"""Extract rules of German, French, Spanish, Portuguese, Italian and Chinese prompts, in the prompt's own sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from proctor.generate.extract.aspects import Aspect, Kind, checkable
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.kinds import kind_of, priority_of
from proctor.generate.extract.language_words import TONGUES, Tongue
from proctor.generate.extract.statements import Statement
from proctor.generate.extract.verbs import COMMANDS
from proctor.generate.extract.vocabulary import worded
from proctor.text.lazy_pattern import Lazy
from proctor.text.predicates.language_guess import language
from proctor.text.script import scripts

__all__ = ["foreign_drafts", "is_understood", "tongue_of"]

_ENGLISH: Final = worded(
    "the a an of and or to is are be must should never always only with without you your if not no any"
)
_PLACE: Final = Lazy(r"\{\{[^{}]*\}\}")
_MARKS: Final = re.compile(r"\*\*|__|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)")
_WHOLE: Final = {
    "de": r"antwort|ausgabe|text|titel|beschreibung|zusammenfassung|e-?mail|nachricht",
    "fr": r"réponse|sortie|texte|titre|description|résumé|message|mail|courriel",
    "es": r"respuesta|salida|texto|título|descripción|resumen|mensaje|correo",
    "pt": r"resposta|saída|texto|título|descrição|resumo|mensagem",
    "it": r"risposta|output|testo|titolo|descrizione|riassunto|messaggio",
    "zh": r"回答|输出|回复|答案|内容|标题|摘要",
}
_MODAL: Final = Lazy(
    r"\b(?:soll(?:te)?n?|muss|müssen|darf|dürfen|doit|doivent|devra|debe|deben|deberá|deve|"
    r"devem|devono|dovrà)\b|必须|应当|应该",
    re.IGNORECASE,
)
_OF_USER: Final = Lazy(
    r"\b(?:benutzer|nutzer|kunden?|utilisateur|client|usuari[oa]|cliente|utente)\b|用户|客户", re.IGNORECASE
)
_EXCEPT: Final = Lazy(
    r"\b(?:außer|es sei denn|sauf|à moins|excepto|salvo|a menos|exceto|tranne|eccetto|a meno)\b|除非|除了",
    re.IGNORECASE,
)


@lru_cache(maxsize=16)
def tongue_of(text: str) -> str:
    """Return the code of a prompt's language: ``en``, another, or nothing if it cannot be told."""
    bare = _PLACE.sub(" ", text)
    found = scripts(bare)
    if found.get("kana", 0) >= 3:
        return "ja"
    if found.get("han", 0) > 0.3 * max(1, sum(found.values())):
        return "zh"
    begun = next((line for line in bare.split("\n") if line.strip()), "")
    named = [code for code, each in TONGUES.items() if each.role.match(begun) or each.charge.match(begun)]
    guess = language(bare) or (named[0] if len(named) == 1 else "")
    return guess if guess in ("", "en") or not _is_english(bare, guess) else "en"


def _is_english(text: str, guess: str) -> bool:
    """Whether a short text has more English words than words of the guessed language."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    english = sum(word in COMMANDS or word in _ENGLISH for word in words)
    tongue = TONGUES.get(guess)
    other = (
        sum(tongue.bound.fullmatch(word) is not None or len(word) < 4 or not word.isascii() for word in words)
        if tongue
        else 0
    )
    return len(words) < 40 and 2 <= english >= other


def is_understood(code: str) -> bool:
    """Whether rules of prompts in this language are found; a language that cannot be told is taken for English."""
    return code in ("", "en", "ja") or code in TONGUES


def foreign_drafts(statement: Statement, code: str) -> Iterator[Draft]:
    """Yield the rules of one sentence: the sentence itself, and one for each part that code can check."""
    tongue = TONGUES[code]
    for piece in re.split(r"[；;]\s*", statement.text):
        if text := _told(piece, tongue):
            yield from _clause_drafts(text, statement, tongue)


def _clause_drafts(text: str, statement: Statement, tongue: Tongue) -> Iterator[Draft]:
    code = tongue.code
    leads = text.endswith((":", "：")) and _commands(text, tongue)  # what it leads to are rules of their own
    if not leads and not _asks(text, statement, tongue):
        return
    condition = tongue.condition.match(text)
    aspects = [] if condition else list(_aspects(text, tongue))
    kept = [each for each in aspects if checkable(each.predicate)]
    if leads:
        yield from (_draft(statement, each.text, kind="format", predicate=checkable(each.predicate)) for each in kept)
        return
    kind: Kind = kind_of(text, condition=text if condition else "", special=bool(condition))
    if not kept or _rest(text, kept) > (6 if code == "zh" else 18):
        yield _draft(statement, _closed(text, code), kind=kind, condition=text if condition else "")
    for each in kept:
        whole = len(kept) == 1 and _rest(text, kept) <= (6 if code == "zh" else 18)
        said = _closed(text, code) if whole else each.text
        yield _draft(statement, said, kind="format", predicate=checkable(each.predicate))


def _told(text: str, tongue: Tongue) -> str:
    """Return the sentence on one line, without emphasis marks and without a role before the request."""
    text = re.sub(r"\s+", " ", _MARKS.sub("", text)).strip(" -–•;")
    if tongue.role.match(text):
        after = next((cut for cut in re.finditer(r"[,，;；]\s*", text) if tongue.bound.match(text, cut.end())), None)
        return text[after.end() :] if after else ""
    return text


def _asks(text: str, statement: Statement, tongue: Tongue) -> bool:
    if text.endswith((":", "：")) or tongue.given.match(text) or _PLACE.fullmatch(text.strip()):
        return False
    if re.match(r"[^:：]{1,60}[:：]\s*[\"“„«]?\{\{", text):  # it introduces an input
        return False
    if tongue.charge.match(text) or statement.section == "never" or (statement.item and tongue.bound.search(text)):
        return True
    if tongue.condition.match(text):
        return bool(re.search(r"[,，、:：]", text)) or statement.section in ("rules", "output")
    if statement.item and statement.section in ("rules", "output", "format", "include"):
        return True
    if _MODAL.search(text[:90]) and not _OF_USER.search(text[:60]):
        return True
    after = re.match(r"[^,，:：]{3,80}[,，]\s*", text)  # what it is based on comes first
    if after and _commands(text[after.end() :], tongue):
        return True
    return _commands(text, tongue) or (bool(tongue.bound.search(text)) and _of_output(text, tongue))


def _commands(text: str, tongue: Tongue) -> bool:
    label = re.match(r"[^\s:：]{2,30}(?: [^\s:：]{1,20}){0,3}\s*[:：]\s+(?=\w)", text)
    bare = text[label.end() :] if label else text
    word = re.match(r"\W*([^\W\d_]+(?:['’-][^\W\d_]+)*)", bare)
    if word is None or word[1].lower() in tongue.openers:
        return False
    return bool(tongue.opening.match(bare))


def _of_output(text: str, tongue: Tongue) -> bool:
    return re.search(_WHOLE[tongue.code], text, re.IGNORECASE) is not None


def _aspects(text: str, tongue: Tongue) -> Iterator[Aspect]:
    if not _EXCEPT.search(text):
        yield from _languages(text, tongue)


def _languages(text: str, tongue: Tongue) -> Iterator[Aspect]:
    """Yield the language of the answer, if one is named where the answer is."""
    named = "|".join(sorted(tongue.tongues, key=len, reverse=True))
    gap = r"\s*" if tongue.code == "zh" else r"\s+"
    match = re.search(rf"(?:\b|^|(?<=\W)){tongue.names}{gap}(?P<name>{named})(?!\w)", text, re.IGNORECASE)
    if match is None and tongue.code == "zh":
        match = re.search(rf"{tongue.names}(?P<name>{named})", text)
    if match and not re.search(
        r"\b(?:nicht|pas|no|não|non|o|ou|oder)\b|不", text[max(0, match.start() - 15) : match.start()]
    ):
        yield Aspect(
            text=_fragment(text, match, tongue.code),
            predicate=f"language is {tongue.tongues[match['name'].lower()]}",
            start=match.start(),
            end=match.end(),
        )
    elif named_input := re.search(
        rf"(?:{tongue.names})\s*\{{\{{\s*(?P<name>\w*(?:lang|language|idioma|sprache|langue|"
        rf"lingua)\w*)\s*\}}\}}",
        text,
    ):
        predicate = f'language is the input "{named_input["name"]}"'
        yield Aspect(
            text=_fragment(text, named_input, tongue.code),
            predicate=predicate,
            start=named_input.start(),
            end=named_input.end(),
        )


def _fragment(text: str, match: re.Match[str], code: str) -> str:
    """Return the matched words as a rule's text; a single word gets the words before it."""
    said = match.group().strip()
    return _closed(said if " " in said or code == "zh" else text[: match.end()], code)


def _rest(text: str, aspects: list[Aspect]) -> int:
    """Return how many characters of the sentence no predicate covers."""
    return len(text) - sum(each.end - each.start for each in aspects)


def _draft(statement: Statement, text: str, *, kind: Kind, predicate: str | None = None, condition: str = "") -> Draft:
    return Draft(
        text=text,
        start=statement.start,
        end=statement.end,
        kind=kind,
        priority=priority_of(statement.text),
        predicate=predicate,
        condition=condition,
    )


def _closed(text: str, code: str) -> str:
    text = re.sub(r"\s+", " ", text).strip().rstrip(";,，； ")
    text = text[:1].upper() + text[1:]
    return text if re.search(r"[.!?。！？][\"”“»」』)]?$", text) else text + ("。" if code == "zh" else ".")
