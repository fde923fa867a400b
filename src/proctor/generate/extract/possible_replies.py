"""Texts of a prompt that may be the whole answer in some case, found by structure.

``fixed_replies`` finds the replies that are sure. A text here may be one: a quoted sentence, a code in capitals or
the rest of a line, beside words that name a case. No predicate may fail such a text, so each gets it as an alternative.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from proctor.generate.extract.answer_outline import section_names
from proctor.generate.extract.asked_amounts import AND
from proctor.generate.extract.conditions import is_permitted
from proctor.generate.extract.fixed_replies import is_case, own_sentences
from proctor.generate.extract.labels import listed
from proctor.generate.extract.predicate_doubts import EXCEPTED
from proctor.generate.extract.quantity_words import NEGATION
from proctor.generate.extract.quoted_literals import START, find_runs, is_begun, literal_role
from proctor.generate.extract.reply_words import NO_REPLY, ONLY, REPLY
from proctor.generate.extract.statements import ASIDE_SECTIONS, Statement
from proctor.text.lazy_pattern import Lazy

__all__ = ["begun_replies", "find_open_reply", "is_sentence", "possible_replies", "stands_alone"]

_SENTENCE_END: Final = re.compile(r"[.!?…。！？]$")
_UNSPACED: Final = re.compile(r"[぀-ヿ㐀-鿿]")
_LEAST_WORDS: Final = 3
_LEAST_UNSPACED: Final = 5  # characters of a script that puts no spaces between words
# ``Weapons: "…"``, ``| weapons | "…" |``, ``weapons → "…"``: the words before name the case.
_NAMED_CASE: Final = re.compile(r"(?:[:：|]|→|=>|->|=|–|—)[^\n\w]{0,6}$")
_NEAR: Final = 60
_NEAR_VERB: Final = 18  # characters between a verb and the text that it is of
_LONGEST_LINE: Final = 250  # characters after a statement in which its line is read
# ``return BLOCKED: needs approval``: a code with its reason, up to the end of the sentence.
_CODE_WITH_REASON: Final = re.compile(r"(?<![\w-])(?P<code>[^\W\d_]{3,}): (?P<reason>[^\n:\"]{2,80})$")
# ``If it is no recipe: NO RECIPE``: what stands behind the colon of a case is all of its answer.
_BEHIND_CASE: Final = re.compile(r"^(?P<case>[^:：\n]{6,200})[:：][ \t]*(?P<line>[^\s\"“„«「`{\[<(][^\n:：]{1,80})$")
_DENIED_CODES: Final = Lazy(
    rf"(?i:{NEGATION})\W+(?:[^\W\d_]+\W+){{0,3}}?(?:[^\W\d_a-zß-ÿа-я]+\b\W*|\b[^\W\d_]{{1,3}}\W+)*$"
)
_OR: Final = re.compile(
    r"(?:[,/|]|\b(?:or|oder|ou|o|u|of|lub|или|або|eller|veya|nebo)|或|または|또는)\s*$", re.IGNORECASE
)
# ``GP and MRI``: each is one of several names.
_BESIDE_CODE: Final = re.compile(rf"[^\W\d_a-zß-ÿа-я]{{2,}}(?i:{AND.pattern})$")
_FEW: Final = 2  # words between an exception and what it names
# ``<error>not a referral</error>``: an element that is written out is as good as a quotation.
_ELEMENT: Final = re.compile(r"<(?P<tag>[A-Za-z][\w-]*)>(?P<inside>[^<>\n]*[^\W_][^<>\n]*)</(?P=tag)>")
_VERB_LAST: Final = Lazy(rf"\s*(?:{REPLY}|ausgeb\w*|zurück\w*|aus|terug\w*)\b", re.IGNORECASE)
_DATE: Final = re.compile(r"[A-Z]{2,4}[-/.][A-Z]{2}[-/.][A-Z]{2,4}")
_TIME_FORM: Final = re.compile(r"(?:\w:|(?<!\w)[A-Z]{2}:[A-Z]{2} )$")  # ``HH:MM UTC``
_LEAST_CODE: Final = 3  # characters
_LEAST_BEFORE: Final = 4  # words before a code at the end of a sentence
_REST: Final = Lazy(
    rf"(?:{ONLY}|{REPLY})[^\n:：.。]{{0,40}}[:：]\s*(?P<line>[^\s\"“„«「`{{\[][^\n]{{2,200}})", re.IGNORECASE
)
_EMPTY: Final = re.compile(r"(?<![\w\"])\"\"(?![\w\"])|“”|„“|「」")  # nothing between quotes is a reply, too
_OPEN: Final = re.compile(r"\[[^\]\n]+\]|<[^<>\n]+>|\{[^{}\n]+\}|\.\.\.|…|_{2,}")
# ``"Closed." with a score``: the reply has more than the quoted text.
_ADDED: Final = Lazy(
    r"\s*(?:with|plus|followed by|along with|mit|gefolgt von|avec|suivi\w*|con|seguid\w+|com|seguit\w+|met|gevolgd|"
    r"and (?:cite|add|give|name|list|the|an?)|und (?:die|den|das|eine?n?)|et (?:le|la|un|une)|加上|并)\b",
    re.IGNORECASE,
)
# ``"none" in that field``, ``"I don't know" inside the tags``: it fills a part.
_INSIDE: Final = Lazy(
    r"\s*(?:inside|within|in(?! that case)|as|under|im|unter|als|dans|en tant|sous|como|nel(?:la)?|onder)\b",
    re.IGNORECASE,
)


def is_sentence(text: str) -> bool:
    """Whether a quoted text may be an answer of its own: a sentence, several words, or a code in capitals."""
    text = text.strip()
    if _UNSPACED.search(text):
        return len(text) >= _LEAST_UNSPACED or (len(text) > 2 and _SENTENCE_END.search(text) is not None)
    words = len(text.split())
    return words >= _LEAST_WORDS or (words > 1 and (_SENTENCE_END.search(text) is not None or text.isupper()))


def possible_replies(statements: Sequence[Statement], text: str) -> tuple[str, ...]:
    """Return the texts that may be a whole answer, each once, in the order of the prompt."""
    found: list[str] = []
    for at, each in enumerate(statements):
        if not each.code and each.section not in ASIDE_SECTIONS:
            found += _replies(each, statements[at - 1].text if at else "", text)
    return tuple(dict.fromkeys(reply.strip() for reply in found if not _is_open(reply)))


def _is_open(reply: str) -> bool:
    """Whether a reply has a place to fill in; the tags of an element that is written out are none."""
    whole = _ELEMENT.fullmatch(reply.strip())
    return _OPEN.search(whole["inside"] if whole else reply) is not None


def begun_replies(statements: Sequence[Statement]) -> tuple[str, ...]:
    """Return the beginnings of replies for some case whose rest is open: ``reply with "MISSING:" and the name``."""
    found: list[str] = []
    for each in statements:
        if each.code or each.section in ASIDE_SECTIONS or not is_case(each.text) or is_permitted(each.text):
            continue
        for run in find_runs(each.text):
            asked = re.search(REPLY, each.text[: run.start], re.IGNORECASE) is not None
            begun = is_begun(each.text, run)
            found += [
                text
                for text in run.texts
                if asked and (begun or text.endswith((":", "："))) and len(text) > _LEAST_CODE
            ]
    return tuple(dict.fromkeys(found))


def stands_alone(said: str, reply: str) -> bool:
    """Whether a sentence asks for a reply and for nothing beside it."""
    said = re.sub(r"([:：])[ \t]*\n[ \t]*", r"\1 ", said)
    at = said.find(reply)
    if START.search(said[max(0, at - _NEAR_VERB) : at]):
        return False  # it only begins the reply
    begin = max(said.rfind(mark, 0, at) for mark in (". ", "! ", "? ", "。", "\n"))
    head = said[max(0, at - _NEAR, begin + 1) : at]
    tail = re.split(r"[.!?。！？](?:\s|$)|\n", said[at + len(reply) :].lstrip("\"”“»」』`' "))[0]
    if re.search(r"[:：]\s*$", head) and not tail.strip(" *_") and is_case(said[begin + 1 : at]):
        return True
    if _ADDED.match(tail) or re.search(r"\[\[|\]\]", tail):
        return False
    return re.search(ONLY, head, re.IGNORECASE) is not None or re.search(ONLY, tail[:_NEAR], re.IGNORECASE) is not None


def find_open_reply(statements: Sequence[Statement]) -> str:
    """Return a reply for some case that has a placeholder, so that no predicate can name it; nothing if none has."""
    for each in statements:
        said = each.text
        if each.code or each.section in ASIDE_SECTIONS or not is_case(said):
            continue
        for match in re.finditer(r"[\"“„«「`]([^\"“”»」`\n]{3,300})[\"“”»」`]", said):
            words = _OPEN.sub(" ", match[1])
            near = re.search(ONLY, said[max(0, match.start() - _NEAR) : match.start()], re.IGNORECASE)
            if near and _OPEN.search(match[1]) and is_sentence(f"{words} x"):
                return match[1]
            after = re.split(r"[.;,:!?。，；]", said[match.end() :])[0]
            if is_sentence(match[1]) and _ADDED.match(after) and not re.search(ONLY, after, re.IGNORECASE):
                return match[1]
    return ""


def _replies(statement: Statement, before: str, text: str) -> Iterator[str]:
    said = statement.text
    case = is_case(said) or is_case(statement.lead if statement.item else "")
    for run in find_runs(said):
        head, tail = said[: run.start], said[run.end :]
        said_only = re.match(
            rf"\s*(?:と|이?라고|(?:という|の)[^。、「」]{{1,8}}|\s\S{{1,4}}\s?\S{{1,3}}(?=만\s)){ONLY}",
            tail,
            re.IGNORECASE,
        )
        only = (
            said_only or re.search(ONLY, head[-_NEAR:], re.IGNORECASE) or re.match(rf"\s*{ONLY}", tail, re.IGNORECASE)
        )
        if len(run.texts) != 1 or not (is_sentence(run.texts[0]) or said_only or (only and case)):
            continue
        role = literal_role(said, run)
        named = _NAMED_CASE.search(head[-_NEAR:]) is not None and any(map(str.isalnum, head[-_NEAR:]))
        if is_begun(said, run) or (role is not None and role.role in ("end", "contain") and not only):
            continue
        if role is not None and role.role == "ban" and not (only or named or case):
            continue
        if (case or only or named) and not _INSIDE.match(tail):
            yield run.texts[0]
    yield from _elements(said) if case else ()
    if case and _EMPTY.search(said):
        yield '""'
    line = text[statement.start : statement.end + _LONGEST_LINE].split("\n", 1)[0]
    rest = _REST.search(line)
    alone = rest is not None and re.search(ONLY, rest.group().split(rest["line"])[0], re.IGNORECASE) is not None
    if rest and not _is_list(rest["line"]) and (alone or case or is_case(line[: rest.start()]) or is_case(before)):
        yield own_sentences(rest["line"].rstrip("*_ "))
    if (
        case
        and re.search(REPLY, said, re.IGNORECASE)
        and (coded := _CODE_WITH_REASON.search(said.rstrip(" .")))
        and coded["code"].isupper()
    ):
        yield coded.group()
    behind = _BEHIND_CASE.match(line.rstrip(" *_"))
    if behind and is_case(behind["case"]) and behind["line"][:1].isalpha():
        verb = re.match(rf"{REPLY}\s+(?=[^\W\d_a-z])", behind["line"], re.IGNORECASE)
        yield own_sentences(behind["line"][verb.end() if verb else 0 :])
    if not said.isupper():
        yield from _codes(said, sure=case or re.search(ONLY, said, re.IGNORECASE) is not None)


def _elements(said: str) -> Iterator[str]:
    """Yield the elements that a sentence asks for alone, at its end."""
    for element in _ELEMENT.finditer(said):
        head, tail = said[max(0, element.start() - _NEAR) : element.start()], said[element.end() :]
        if re.search(ONLY, head, re.IGNORECASE) and not re.search(r"\w", tail.split(".")[0]):
            yield element.group()


def _is_exception(before: str) -> bool:
    """Whether what follows some words is excepted from a rule: ``spell out all names, except MRI``."""
    pieces = EXCEPTED.split(before)
    return len(pieces) > 1 and len(re.findall(r"\w+", pieces[-1])) <= _FEW


def _is_list(line: str) -> bool:
    """Whether a line is a choice of values: ``invoice, delivery or other``."""
    return len(listed(re.sub(r"\s(?:oder|ou|o|u|of|lub|или|або|eller|veya|nebo)\s|或|または|또는", " or ", line))) > 1


def _codes(said: str, *, sure: bool) -> Iterator[str]:
    """Yield the words in capitals that may be a reply: in the sentence of a case, or at the end of a sentence."""
    bare = re.sub(r"[\"“„«「`][^\"“”»」`\n]*[\"”»」`]", lambda quote: " " * len(quote.group()), said)
    named = {word for name in section_names(said) for word in name.split()}
    run: list[re.Match[str]] = []
    tokens = [*re.finditer(r"[^\s.,;:()。、]+|[.,;:()。、]", bare), None]
    for word in tokens:
        if word is not None and word.group().isupper() and len(word.group()) > 1 and not _DATE.fullmatch(word.group()):
            run.append(word)
            continue
        if run:
            code = bare[run[0].start() : run[-1].end()]
            before = bare[: run[0].start()]
            known = set(code.split()) <= {*NO_REPLY, *named} or len(code) < _LEAST_CODE
            if _DENIED_CODES.search(before) or _OR.search(before) or _TIME_FORM.search(before):
                known = True  # ``never use INSERT, UPDATE or``, ``YES or NO``
            known = known or _BESIDE_CODE.search(before) is not None or _is_exception(before)
            asked = re.search(rf"(?:{REPLY}|{ONLY})[^.;]*$", before[-_NEAR:], re.IGNORECASE) is not None
            last = word is None or (word.group() == "." and not bare[word.end() :].strip())
            closing = word is None or word.group() in ".,;。、" or _VERB_LAST.match(bare, run[-1].end()) is not None
            closing = closing or re.match(rf"\W*(?:\w+\s+)?{ONLY}", bare[run[-1].end() :], re.IGNORECASE) is not None
            if not known and ((sure and asked and closing) or (last and len(before.split()) >= _LEAST_BEFORE)):
                yield code
        run = []
