"""Whether a sentence says of the whole answer what a predicate checks of it: by its own words, not by their absence.

What an answer must have, how it begins and how long it is are the predicates that fail right answers most often, since
a prompt says the same of parts. They are written only where the words before them are the answer's or a bare command.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from proctor.generate.extract.answer_parts import OF_ANSWER
from proctor.generate.extract.asked_amounts import find_amounts
from proctor.generate.extract.limit_subject import TOTAL, names_answer
from proctor.generate.extract.predicate_text import quoted
from proctor.generate.extract.quoted_literals import END, START, find_runs
from proctor.generate.extract.statements import ASIDE_SECTIONS, Statement, protected

__all__ = ["doubt_of_evidence", "has_label_lines"]

_EDGE: Final = re.compile(r"(?P<role>starts|ends) with (?P<texts>\"(?:[^\"\\]|\\.)*\"(?:, \"(?:[^\"\\]|\\.)*\")*)")
_AMOUNT: Final = re.compile(
    r"(?P<measure>words|characters|sentences|lines|paragraphs|bullets|items|numbered items|headings) "
    r"(?P<bound>(?:<=?|>=?|=) \d+|between \d+ and \d+)"
)
_ALTERNATIVE: Final = re.compile(r"^\((?P<core>.*)\) or (?:one of|is|starts with) .*$|^(?P<bare>.*?) or one of \".*$")
_MARK: Final = re.compile(r"[,;:，；：、。،؛(（]|\s[–—-]\s|[.!?]\s")
# ``問題文は60文字以内``: the particle follows the topic of the sentence.
_TOPIC: Final = re.compile(r"(?P<topic>[^\s、。，「」]{1,20}?)(?:は|が(?=\d|[一二三四五六七八九十]))")
# ``一件を60字以内``, ``1つにつき``: a counter stands for each of the things.
_COUNTER: Final = re.compile(r"(?:一|1|１)(?:件|つ|個|人|行|文|項目|枚|点|カ所|か所)(?:につき|あたり|ごと|を|は|で|に)")
_KANA: Final = re.compile(r"[ぁ-ヿ]")
_EACH: Final = re.compile(
    r"\b(?:each|every|jede[rsnm]?|chaque|cada|ogni|elke?|ieder\w*|każd\w+|кажд\w+|кожн\w+|varje|hvert?|každ\w+|her|"
    r"minden|fiecare|jokai\w*|mỗi|setiap|κάθε)\s+(?P<noun>[^\W\d_]{2,})|(?<!\w)كل\s+(?P<arabic>\S+)",
    re.IGNORECASE,
)
_LABEL_LINE: Final = re.compile(
    r"[ \t]*(?:[■□◆◇●○▪◼]\s*\S|(?:\*\*)?[^\W\d_][^\n:：{}.!?。\"“„«「]{0,30}(?:\*\*)?[:：](?!//))[^\n]*$"
)
# A verb that has all of the answer as its object.
_ANSWER_VERB: Final = re.compile(
    r"\W*(?:answer|reply|respond|antwort\w*|répond\w*|respond\w*|contest\w*|rispond\w*|antwoord|odpowi\w+|ответ\w*|"
    r"отвеч\w*|svara?|odpov\w+)\b",
    re.IGNORECASE,
)
_BLOCKS: Final = ("paragraphs", "lines", "sentences")
_LISTS: Final = ("bullets", "items", "numbered items")
_PRONOUN: Final = re.compile(r"\W*(?:it|they|elle|elles|ella|ela|essa)\s", re.IGNORECASE)
# ``Conclude with a "Recommendation" section``
_PART_NOUN: Final = re.compile(
    r"\W*(?:section|heading|paragraph|part|block|list|table|label|tag|field|column|abschnitt|überschrift|rubrique|sección|"
    r"seção|sezione)\b",
    re.IGNORECASE,
)
_PLACES: Final = re.compile(r"最[後初]|書き出し|出だし|末尾|文末|冒頭|文頭|結び")
_LEAST_LINES: Final = 2
_MOST_LABEL_WORDS: Final = 3
_MOST_VALUE_WORDS: Final = 5
_MOST_BEFORE: Final = 1  # words before the verb of a command


def doubt_of_evidence(
    predicate: str, said: str, statements: Sequence[Statement], made: Sequence[str], code: str, *, parted: bool
) -> str:
    """Return why a sentence may not say this of the whole answer; nothing where it does, or nothing is checked of it.

    ``parted`` is whether the answer has parts, ``code`` the language of the prompt.
    """
    found = _ALTERNATIVE.match(predicate)
    core = (found["core"] or found["bare"]) if found else predicate
    if edge := _EDGE.match(core):
        return _doubt_of_edge(edge["role"], edge["texts"], said, made, parted=parted)
    for amount in _AMOUNT.finditer(core) if _AMOUNT.match(core) else ():
        if amount["bound"] != "= 0" and (
            doubt := _doubt_of_amount(amount, said, statements, made, code, parted=parted)
        ):
            return doubt
    return ""


def has_label_lines(text: str) -> bool:
    """Whether a prompt shows lines with labels one below the other, outside of places for inputs."""
    run = 0
    for line in text.split("\n"):
        label = _LABEL_LINE.match(line)
        name, _, rest = re.sub("：", ":", line).partition(":")
        topic = rest.rstrip().endswith(".") and len(rest.split()) > _MOST_VALUE_WORDS  # ``Leaks: give the number.``
        fits = label and "{{" not in line and len(name.split()) <= _MOST_LABEL_WORDS and not topic
        run = run + 1 if fits else 0
        if run >= _LEAST_LINES:
            return True
    return False


def _doubt_of_edge(role: str, texts: str, said: str, made: Sequence[str], *, parted: bool) -> str:
    verb = (START if role == "starts" else END).search(said)
    quote = next((run for run in find_runs(said) if quoted(run.texts) in texts or texts in quoted(run.texts)), None)
    place = verb.start() if verb else quote.start if quote else len(said)
    before = re.split(r"[\"”“»」』`]", _clause_before(said, place).rstrip('"“„«「『` '))[-1]
    if not names_answer(before, made) and not re.search(rf"(?<!\w){OF_ANSWER}(?!\w)", before, re.IGNORECASE):
        if parted:
            return "the answer has parts, and the sentence does not name the answer"
        if len(re.findall(r"[^\W\d_]+", before)) > _MOST_BEFORE:
            return "its subject may be a part of the answer"
    if quote and _PART_NOUN.match(said, quote.end):
        return "the text names a part of the answer"
    if topic := _foreign_topic(said, made):
        return f"it may be for {topic} only"
    return ""


def _doubt_of_amount(
    amount: re.Match[str],
    said: str,
    statements: Sequence[Statement],
    made: Sequence[str],
    code: str,
    *,
    parted: bool,
) -> str:
    place = next(
        (
            each
            for each in find_amounts(said, code)
            if each.measure == amount["measure"] and each.bound == amount["bound"]
        ),
        None,
    )
    if place is None:
        return ""
    doubt = _doubt_of_subject(said, place.start, statements, made)
    if doubt:
        return doubt
    clause = _clause_before(said, place.start)
    behind = _MARK.split(said[place.end :])[0]
    named = names_answer(said[: place.start], made) or _ANSWER_VERB.match(clause) or TOTAL.search(f"{clause} {behind}")
    if parted and not named:
        return "the answer has parts, and the sentence does not name the answer"
    if not named and not said.startswith(clause):
        return "what it is for is named before it in the sentence, and is not the answer"
    if amount["measure"] in _LISTS and _has_other_list(statements, said, code):
        return "there is more than one list"
    if amount["measure"] in _BLOCKS and END.search(f"{clause} {behind}"):
        return "it may be for how the answer ends"
    if amount["measure"] == "paragraphs" and amount["bound"] != "= 1" and _has_fixed_edge(statements, said):
        return "fixed texts stand beside what is counted"
    return ""


def _doubt_of_subject(said: str, at: int, statements: Sequence[Statement], made: Sequence[str]) -> str:
    """Return why the words before an amount may name something else than the whole answer."""
    if _PRONOUN.match(said) and not _speaks_of_answer(statements, said, made):
        return "what it is for is named in the sentence before"
    several = any(not names_answer(each["noun"] or "", ()) for each in _EACH.finditer(said[:at]))
    clause = _clause_before(said, at)
    if several or _COUNTER.search(clause):
        return "it may be for each of several things"
    topic = _foreign_topic(clause, made) if _KANA.search(said) else ""
    return f"it may be for {topic} only" if topic else ""


def _has_other_list(statements: Sequence[Statement], said: str, code: str) -> bool:
    """Whether another sentence asks for a number of list items."""
    return any(
        each.measure in _LISTS and each.bound != "= 0"
        for statement in statements
        if not statement.code and statement.section not in ASIDE_SECTIONS and statement.text not in said
        for each in find_amounts(statement.text, code)
    )


def _speaks_of_answer(statements: Sequence[Statement], said: str, made: Sequence[str]) -> bool:
    """Whether the sentence before names the answer, or there is none before."""
    at = next((at for at, each in enumerate(statements) if said in each.text or each.text in said), 0)
    return at == 0 or names_answer(statements[at - 1].text, made)


def _clause_before(said: str, at: int) -> str:
    """Return the words from the mark before a place to it."""
    safe = protected(said[:at])
    cuts = [
        cut.end() for cut in _MARK.finditer(said, 0, at) if not any(low <= cut.start() < high for low, high in safe)
    ]
    return said[max(cuts, default=0) : at]


def _foreign_topic(said: str, made: Sequence[str]) -> str:
    """Return the topic of a Japanese sentence, if it is not the answer."""
    if not _KANA.search(said):
        return ""
    for match in _TOPIC.finditer(re.sub(r"「[^」]*」|『[^』]*』", "", said)):
        topic = match["topic"]
        known = names_answer(topic, made) or _PLACES.search(topic) or any(noun in topic for noun in made)
        if not known:
            return topic
    return ""


def _has_fixed_edge(statements: Sequence[Statement], said: str) -> bool:
    """Whether another sentence leads to lines that begin or end the answer: they are paragraphs of their own."""
    return any(
        each.text.rstrip("*_ ").endswith((":", "：")) and (END.search(each.text) or START.search(each.text)) is not None
        for each in statements
        if not each.code and each.section not in ASIDE_SECTIONS and each.text not in said and said not in each.text
    )
