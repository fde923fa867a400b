"""Replies that a prompt fixes word for word for some case, in any language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from proctor.generate.extract.conditions import is_conditional, split_condition
from proctor.generate.extract.labels import special_answer
from proctor.generate.extract.quoted_literals import find_runs, is_begun
from proctor.generate.extract.reply_words import NO_REPLY, ONLY, REPLY
from proctor.generate.extract.statements import Statement
from proctor.text.lazy_pattern import Lazy

__all__ = ["fixed_replies", "is_case", "opens_with_case", "own_sentences"]

_WHOLLY: Final = (
    r"(?:answer\w*|repl(?:y|ies)|respon[ds]\w*|return\w*|output\w*|antwort\w*|ausgabe|gib|réponds?\w*|répondez|"
    r"renvo\w*|"
    r"contest\w*|devuel\w*|responda|devolva|rispond\w*|restitui\w*|geef|antwoord\w*|回答|回复|返回|输出|答え|出力|返)"
)
_ASKED: Final = Lazy(
    rf"{_WHOLLY}[^.;]{{0,60}}$|{REPLY}\s*[:：]\s*$|{ONLY}[^.;]{{0,40}}$|\b(?:lautet|ist|is|est|es|é|"
    rf"è)\b[^.;,]{{0,30}}$",
    re.IGNORECASE,
)
_AFTER: Final = Lazy(
    r"\s*(?:と|とだけ|のみ|だけ)?\s*(?:答え|出力|返|回答|記載|書)|\s*이?라고만?\s*(?:답|쓰|쓴|말|"
    r"출력)|\s*(?:zurück|terug)",
    re.IGNORECASE,
)
_LINE: Final = Lazy(
    rf"(?:{ONLY}|{REPLY})(?:\s+[^\W\d_]+){{0,3}}\s*[:：]\s*"
    r"(?P<line>[^\s\"“„«「`'{\[][^\n]{1,200})$",
    re.IGNORECASE,
)
_NEXT_LINE: Final = Lazy(rf"{ONLY}[^.\n]*[:：][ \t]*\n(?P<line>\S[^\n]*)$", re.IGNORECASE)
_BELOW: Final = Lazy(rf"{ONLY}[^.]*[:：]\s*$", re.IGNORECASE)
# ``Ist keine genannt, …``: the verb first makes a condition in German, Dutch and English.
_VERB_FIRST: Final = Lazy(
    r"(?:should|were|had|ist|sind|hat|haben|gibt|steht|fehlt|fehlen|passt|passen|kann|wird|werden|enthält|enthalten|"
    r"fragt|liegt|staat|is|zijn|heeft|ontbreekt|bevat|vraagt|kan)\b[^,?]{3,160},\s*(?:so |dann |dan )?[a-zäöü]",
    re.IGNORECASE,
)
_CAPITAL: Final = "A-ZÀ-ÖØ-ÞĄĆČĎĐĘĚĞİŁŃŇŐŘŚŞŠŤŮŰŹŻŽА-ЯЁІЇЄҐ"
_CODE_WORD: Final = re.compile(
    rf"\[(?:[{_CAPITAL}]{{2,30}} ){{0,5}}[{_CAPITAL}][{_CAPITAL}_]{{3,30}}\]|"
    rf"(?<![\w-])(?:[-#]{{1,3}} )?(?:[{_CAPITAL}]{{2,30}} ){{0,5}}[{_CAPITAL}][{_CAPITAL}_]{{3,30}}(?![\w-])"
)
_ASKED_FIRST: Final = re.compile(r"[^.!?]{5,90}\?\s+[a-z]")  # ``member cancelled? answer SKIP``
_INSTEAD: Final = Lazy(
    r"\binstead\b|\bstattdessen\b|\bà la place\b|\ben su lugar\b|\bem vez disso\b|\binvece\b", re.IGNORECASE
)
_JSON_REPLY: Final = re.compile(r"\{\s*\"\w+\"\s*:\s*[^{}\n]*\}(?=[^{}]*$)")


def fixed_replies(statements: Sequence[Statement], text: str, fields: Sequence[str]) -> Iterator[tuple[Statement, str]]:
    """Yield the whole replies that conditions ask for, each with its sentence.

    ``fields`` are keys of JSON, whose values are no replies.
    """
    for at, each in enumerate(statements):
        if each.code or each.section in ("example", "input", "tools"):
            continue
        if (shown := _JSON_REPLY.search(each.text)) and not any(f'"{name}"' in shown.group() for name in fields):
            yield each, shown.group()
            continue
        before = statements[at - 1].text if at else ""
        if not is_case(each.text) and not (_BELOW.search(each.text) and is_case(before)):
            continue
        if reply := _reply(each, statements[at + 1 :], text, fields):
            yield each, reply


def is_case(text: str) -> bool:
    """Whether a sentence names a case, by a word or by its order: ``Should …, …``, ``Ist …, …``."""
    return is_conditional(text) or _INSTEAD.search(text) is not None or opens_with_case(text)


def opens_with_case(text: str) -> bool:
    """Whether the order of its first words makes a sentence conditional: ``Should the word be short, …``."""
    return _VERB_FIRST.match(text) is not None or _ASKED_FIRST.match(text) is not None


def _reply(statement: Statement, later: Sequence[Statement], text: str, fields: Sequence[str]) -> str | None:
    said = statement.text
    if _BELOW.search(said):
        below = next(iter(later), None)
        if below is None or below.item or below.code or below.start - statement.end > 3:
            return None
        return re.split(r"\n[ \t]*\n", text[below.start :])[0].strip()
    if line := _NEXT_LINE.search(said):
        return line["line"].strip()
    rest = text[statement.start :].split("\n", 1)[0].strip()
    if rest.startswith(said[:40]) and (line := _LINE.search(rest)) and is_conditional(rest[: line.start() + 1]):
        return own_sentences(line["line"].strip())
    runs = [run for run in find_runs(said) if len(run.texts) == 1]
    for run in reversed(runs):
        head = said[: run.start]
        if head.endswith(("[", "\\", "{")) or is_begun(said, run):
            continue
        named = any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", head) for name in fields)
        if not named and (_ASKED.search(head[-80:]) or _AFTER.match(said, run.end)) and _is_whole(said, run.end, head):
            return run.texts[0]
    found = [match.group() for match in _CODE_WORD.finditer(said) if not set(match.group().split()) <= set(NO_REPLY)]
    if (found and re.search(ONLY, said, re.IGNORECASE)) or re.search(
        r"lautet die (?:ausgabe|antwort)", said, re.IGNORECASE
    ):
        return found[-1] if found and not said.isupper() else None
    condition, asked = split_condition(said)
    of_field = any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", asked) for name in fields)
    return special_answer(asked) if condition and not of_field else None


def own_sentences(line: str) -> str:
    """Return the sentences at the beginning of a line up to the first that names another case, or leads to more."""
    pieces = re.split(r"(?<=[.!?。！？])(?=\s+\S|[^\s.!?。！？」”\"])", line)
    kept = pieces[:1]
    for piece in pieces[1:]:
        if is_case(piece.strip()) or re.search(r"[:：]", piece) or re.search(ONLY, piece, re.IGNORECASE):
            break
        kept.append(piece)
    return "".join(kept).strip()


def _is_whole(said: str, end: int, head: str) -> bool:
    """Whether nothing else is asked for after the quoted reply, or only that reply is."""
    only = (
        re.search(ONLY, head[-60:], re.IGNORECASE)
        or re.match(rf"\W*(?:\w{{1,3}} )?{ONLY}", said[end:], re.IGNORECASE)
        or re.match(r"\s*(?:とだけ|のみ|だけ|이?라고만)", said[end:])
    )
    return (
        bool(only)
        or re.fullmatch(r"\W*(?:(?:zurück|terug|instead|stattdessen)\W*|(?:と|を)\S{1,12})?", said[end:]) is not None
    )
