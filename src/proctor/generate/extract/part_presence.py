"""That the parts of an answer are there: tags, sections, their order, fixed words, and nothing beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from proctor.generate.extract.answer_outline import OutlinePart, section_names
from proctor.generate.extract.answer_parts import LINE_OF_TEXT, SENTENCE_OF_TEXT
from proctor.generate.extract.conditions import is_conditional, is_permitted
from proctor.generate.extract.fixed_replies import opens_with_case
from proctor.generate.extract.json_fields import AND_NOTHING, FIELDS
from proctor.generate.extract.limit_subject import unknown_words
from proctor.generate.extract.predicate_doubts import OMITTED
from proctor.generate.extract.predicate_text import quoted
from proctor.generate.extract.prompt_scope import PromptScope
from proctor.generate.extract.quantity_words import NEGATION
from proctor.generate.extract.quoted_literals import START, find_runs
from proctor.generate.extract.reply_words import ONLY
from proctor.generate.extract.statements import ASIDE_SECTIONS, Statement
from proctor.text.lazy_pattern import Lazy

__all__ = ["find_presence"]

# ``nothing before or after``: the negation, and the place outside of the parts.
_NOTHING: Final = Lazy(
    rf"(?:{NEGATION}|\bnothing\b|\bnichts\b|\brien\b|\bnada\b|\bniente\b|\bnulla\b|\bniets\b|\bnic\b|\bничего\b|"
    r"\bнічого\b|\binget\b|\bintet\b|\bingenting\b|不要|不得|什么都不|何も|아무것도)",
    re.IGNORECASE,
)
_BEFORE: Final = Lazy(
    r"\b(?:before|in front of|ahead of|davor|vor|avant|antes|prima|ervoor|voor|przed|до|перед|före|innan|før|"
    r"před)\b|前",
    re.IGNORECASE,
)
_BEHIND: Final = Lazy(
    r"\b(?:after|behind|below|danach|dahinter|nach|après|después|depois|dopo|erna|daarna|na\b|po\b|после|після|"
    r"efter|za\b)|"
    r"后|後",
    re.IGNORECASE,
)
_OUTSIDE: Final = Lazy(
    r"\b(?:outside|around|beside|außerhalb|drumherum|en dehors|autour|fuera|fora|fuori|al di fuori|buiten|rondom|"
    r"poza|вне|"
    r"поза|utanför|uden ?for|mimo)\b|以外|之外|外",
    re.IGNORECASE,
)
_ORDER: Final = Lazy(
    r"\b(?:order(?! to\b| that\b)|sequence|reihenfolge|ordre|orden|ordem|ordine|volgorde|kolejno\w*|порядк\w*|"
    r"ordning\w*|"
    r"rækkefølge|pořadí|"
    r"sıra\w*|järjesty\w*|sorrend\w*)\b|顺序|順|순서",
    re.IGNORECASE,
)
_EVERY: Final = Lazy(
    r"\b(?:all|every|always|alle|immer|jede\w*|toutes?|tous|toujours|tod[oa]s|siempre|sempre|tutt[ei]|alle|altijd|"
    r"wszystkie|"
    r"zawsze|все|всегда|усі|завжди|alla|alltid|altid|všechn\w+|vždy|tüm|bütün)\b|所有|全部|すべて|必ず|모든|모두|"
    r"아래와 같",
    re.IGNORECASE,
)
_SIGNS: Final = re.compile(r"(?<![#\w\"“„«`])(?P<signs>#{1,4})(?![#\w])")
_CLOSING: Final = re.compile(r"(?<=[\w.…>])</([\w-]+)>|(?<= )</([\w-]+)>")
_LEAST_TEXT: Final = 3  # characters of a text at the beginning of a line
_NEAR_VERB: Final = 4  # words between the verb and the text
_NEAR_LEAD: Final = 250  # characters between a sentence and the shape that it announces

Found = tuple[Statement, str, int, int]


def find_presence(
    statements: Sequence[Statement],
    outline: Sequence[OutlinePart],
    scope: PromptScope,
    text: str,
    made: Sequence[str] = (),
) -> Iterator[Found]:
    """Yield what sentences say of the parts as such: a statement, a predicate, and where the statement asks for it.

    ``made`` are the nouns that mean the whole answer.
    """
    tags = [part for part in outline if part.kind == "tag"]
    sections = [part for part in outline if part.kind == "section"]
    open_parts = any(OMITTED.search(each.text) for each in statements)  # some may be left out
    for at, each in enumerate(statements):
        if each.section in ASIDE_SECTIONS:
            continue
        if not each.code and not scope.structured:
            yield from _of_beginnings(each)
        if is_permitted(each.text):
            continue
        if tags:
            yield from _of_tags(each, statements[at + 1 :], tags, text, made)
        if each.code or is_conditional(each.text) or opens_with_case(each.text):
            continue
        if len(scope.fields) > 1:
            yield from _of_fields(each, scope)
        if not open_parts:
            yield from _of_sections(each, sections)


def _of_tags(
    each: Statement, later: Sequence[Statement], tags: Sequence[OutlinePart], text: str, made: Sequence[str]
) -> Iterator[Found]:
    said = each.text
    names = [part.name for part in tags if f"<{part.name}>" in said]
    shown = _shown_below(each, later, text)
    announced = [part.name for part in tags if f"<{part.name}>" in shown]
    wanted = names or (announced if len(announced) > 1 else [])
    asks_more = len(names) == 1 and unknown_words(re.sub(r"</?[\w-]+>", " ", said), (*made, names[0]))
    for_all = wanted and not asks_more and not is_conditional(said) and not opens_with_case(said)
    if for_all and not _denied(said, f"<{wanted[0]}>"):
        yield each, " and ".join(_presence(said, f"{said}\n{shown}", wanted)), 0, len(said)
    known = {part.name for part in tags}
    alone = AND_NOTHING.search(said) if len(wanted) > 1 else None
    if (match := alone or _beside(said)) and (alone or _closing(text) <= known):
        yield each, f"outside tags {quoted([part.name for part in tags])}: is empty", match.start(), match.end()


def _closing(text: str) -> set[str]:
    return {match[1] or match[2] for match in _CLOSING.finditer(text)}


def _shown_below(each: Statement, later: Sequence[Statement], text: str) -> str:
    """Return the shape that a sentence leads to: what stands below it, up to the next sentence without tags."""
    if not each.text.rstrip().endswith((":", "：")):
        return ""
    upto = next((one.start for one in later if not one.code and "<" not in one.text), len(text))
    return text[each.end : min(upto, each.end + _NEAR_LEAD)].split("\n\n\n", maxsplit=1)[0]


def _presence(said: str, shown: str, wanted: Sequence[str]) -> Iterator[str]:
    """Yield that the elements are there: once each where nothing else may be, and in their order if that is asked."""
    exact = len(wanted) > 1 and (re.search(ONLY, said, re.IGNORECASE) or AND_NOTHING.search(said))
    yield from (f"tags {quoted([name])} {'= 1' if exact else '>= 1'}" for name in wanted)
    of_lines = all(re.search(rf"(?m)^[ \t]*<{re.escape(name)}>", shown) for name in wanted)
    if len(wanted) > 1 and of_lines and _ORDER.search(said):
        yield f"fields in order {quoted([f'<{name}>' for name in wanted])}"


def _denied(said: str, name: str) -> bool:
    return re.search(rf"{NEGATION}[^.;,:]{{0,40}}$", said[: said.find(name)], re.IGNORECASE) is not None


def _beside(said: str) -> re.Match[str] | None:
    """Return where a sentence says that nothing stands outside of the parts, or before and after them."""
    for clause in re.finditer(r"[^.;:!?。；：]+", said):
        if not _NOTHING.search(clause.group()):
            continue
        both = _BEFORE.search(clause.group()) and _BEHIND.search(clause.group())
        if both or _OUTSIDE.search(clause.group()):
            return clause
    return None


def _of_sections(each: Statement, sections: Sequence[OutlinePart]) -> Iterator[Found]:
    said = each.text
    known = {part.name for part in sections}
    named = [name for name in dict.fromkeys(section_names(said)) if name in known]
    if named and not _denied(said, named[0]):
        yield each, f"contains all {quoted(named)}", said.find(named[0]), said.find(named[-1]) + len(named[-1])
    if len(known) > 1 and (order := _ORDER.search(said)):
        yield each, f"fields in order {quoted([part.name for part in sections])}", 0, order.end()
    if known and (signs := _SIGNS.search(said)):
        yield each, f"matches /^{signs['signs']} \\S/m", signs.start(), signs.end()


def _of_fields(each: Statement, scope: PromptScope) -> Iterator[Found]:
    """Yield what a sentence says of all fields: that they are there, and in their order."""
    said = each.text
    noun = re.search(FIELDS, said, re.IGNORECASE)
    if noun is None or any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said) for name in scope.fields):
        return
    names = quoted(scope.fields)
    if order := _ORDER.search(said):
        yield each, f"json keys in order {names}", min(noun.start(), order.start()), max(noun.end(), order.end())
    if (every := _EVERY.search(said)) or said.rstrip().endswith((":", "：")):
        has = f"json has {names}"
        place = every.start() if every else noun.start()
        yield each, f"json array length = 0 or {has}" if scope.array else has, place, noun.end()


def _of_beginnings(each: Statement) -> Iterator[Found]:
    """Yield that a text begins a line, wherever it is used: ``add a line that begins with "Note:"``."""
    for run in find_runs(each.text):
        head = each.text[: run.start].rpartition(".")[2]
        verb = list(START.finditer(head))
        text = run.texts[0].strip()
        if len(run.texts) != 1 or not verb or len(text) < _LEAST_TEXT or not any(map(str.isalpha, text)):
            continue
        if re.search(rf"{NEGATION}[^,;:]*$", head, re.IGNORECASE) or len(head[verb[-1].end() :].split()) > _NEAR_VERB:
            continue
        if LINE_OF_TEXT.search(head) or (text.endswith((":", "：")) and SENTENCE_OF_TEXT.search(head)):
            literal = re.sub(r"([^\w\s])", r"\\\1", text)
            yield each, f"when contains {quoted([text])}: matches /^\\W{{0,4}}{literal}/m", run.start, run.end
