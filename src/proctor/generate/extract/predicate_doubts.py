"""Reasons not to write a predicate: an exception beside it, a case with another answer, a part that is not the answer.

A predicate that is written must hold for every right answer. What is in doubt is left to a judge, with the reason.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from proctor.generate.extract.asked_amounts import AskedAmount, find_amounts
from proctor.generate.extract.conditions import is_conditional
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.fixed_replies import opens_with_case
from proctor.generate.extract.limit_subject import is_of_whole, names_answer, unknown_words
from proctor.generate.extract.number_words import COUNT, count_of
from proctor.generate.extract.quantity_words import BEFORE, FRENCH_UNITS, NEGATION, UNITS
from proctor.generate.extract.reply_words import ONLY, REPLY
from proctor.generate.extract.statements import Statement
from proctor.text.lazy_pattern import Lazy

__all__ = ["EXCEPTED", "OMITTED", "doubt_of", "has_open_case"]

_EXCEPTION: Final = Lazy(
    r"\W*(?:the |die |la |l['’]|a |de )?(?:only |einzige |seule |única )?(?:exceptions?|except|unless|ausnahmen?|außer|"
    r"sauf|seule exception|excepci[oó]n(?:es)?|excepto|salvo|exceç(?:ão|ões)|exceto|eccezion[ei]|tranne|"
    r"uitzondering(?:en)?|behalve|wyjąt\w+|chyba że|исключени\w*|кроме|undantag|istisna)\b|\W*(?:例外|ただし|但是?|"
    r"除非|예외)",
    re.IGNORECASE,
)
# ``The summary is exempt from this``
_EXEMPT: Final = Lazy(
    r"\b(?:exempt\w*|does not count|do not count|doesn['’]t count|not included in (?:this|that)|ausgenommen|"
    r"zählt nicht|zählen nicht|"
    r"ne compte(?:nt)? pas|exceptée?s?|no cuentan?|exent[oa]s?|não conta\w*|isent[oa]s?|esclus[oaie]|non conta\w*|"
    r"uitgezonderd|tellen? niet|nie licz\w+ się|räknas inte|tæller ikke)\b|除外|不计|数えない|含めない",
    re.IGNORECASE,
)
EXCEPTED: Final = Lazy(
    r"\b(?:unless|except(?!ion)|apart from|other than|es sei denn|außer|ausgenommen|sauf|à moins|hormis|excepto|"
    r"salvo|a menos|exceto|tranne|eccetto|a meno|behalve|tenzij|chyba że|oprócz|кроме)\b|除非|除了|を除[きく]|以外|"
    r"のほか",
    re.IGNORECASE,
)
# A case in which the answer is another one, whose words the prompt does not fix.
_INSTEAD: Final = Lazy(
    r"\b(?:instead|rather than answer\w*|refuse|decline|stattdessen|lehne?\b|verweiger\w*|à la place(?! d)|plutôt|"
    r"refuse[rz]?|en su lugar|en vez|rechaza|recházalo|niégate|em vez|no lugar(?! d)|recus[ae]|invece|al posto(?! d)|"
    r"rifiuta|in plaats daarvan|weiger|zamiast|odmów|вместо|откажи\w*)\b|代わりに|改为|拒绝|断る|断って|대신",
    re.IGNORECASE,
)
_OTHERWISE: Final = Lazy(
    r"\b(?:instead|otherwise|stattdessen|sonst|ansonsten|sinon|à la place|de lo contrario|en su lugar|caso contrário|"
    r"altrimenti|invece|anders|inaczej|иначе|інакше|annars|ellers|jinak|aksi halde)\b|否则|さもなければ|아니면",
    re.IGNORECASE,
)
_MAKES: Final = (
    r"(?:write|give|make|create|produce|output|schreib\w*|erstell\w*|écri\w+|rédig\w+|escrib\w*|redact\w*|des\b|"
    r"escrev\w*|scriv\w+|schrijf|maak|pisz)"
)
_UPPER: Final = re.compile(
    r"(?:[\w ]+|count \S+(?: \S+)?) (?:<=|<) |[\w ]+ = 0|not \(|contains none|no markdown|no framing|no new numbers|"
    r"case is|tags only|each |when |keeps the|first line: not|shorter"
)
_KEYWORDS: Final = {
    "case is upper": r"upper[- ]?case|(?:all )?capital(?: letters|s)?|"
    r"großbuchstaben|majuscul\w*|mayúscul\w*|maiúscul\w*|maiuscol\w*|hoofdletter\w*",
    "case is lower": r"lower[- ]?case(?: letters)?|kleinbuchstaben|minuscul\w*|minúscul\w*|minuscol\w*|小写",
    "case is snake": r"snake\S*",
    "case is camel": r"camel\S*",
    "case is kebab": r"kebab\S*",
    "case is pascal": r"pascal\S*",
    "case is title": r"title case",
    "case is sentence": r"sentence case",
}
# An amount that is to be met exactly, and the number at which the sentence must say so.
_EQUAL: Final = re.compile(
    r"(?!is |json |tags )(?P<measure>[a-z][a-z ]*|count \S+) = (?P<number>[1-9]\d*)(?=$| or | and )"
)
_EXACT: Final = dict(BEFORE)["="]
_LISTED: Final = ("lines", "items", "numbered items", "bullets")
_OF_SHAPE: Final = ("lines", "paragraphs", "items", "numbered items", "bullets")
_MARKER: Final = re.compile(r'each (?:item|line|paragraph): (?:starts|ends) with "[-*+•–—>#\d.) ]+"')
_SIGN_ALONE: Final = re.compile(r'starts with "[^\w"]{1,2}"|ends with "[^\w".?!;:。？！”»)]{1,2}"')
# What an answer that only says something does not have.
_STRUCTURE: Final = re.compile(r"(?:numbered items|items|bullets|paragraphs|headings|lines) (?:>=|=|between) [1-9]")
_SAYS_THAT: Final = Lazy(rf"{REPLY}\b[^.;\"“„«]{{0,30}}?\b(?:that|dass|que|che|dat|że|что|att|at)\b", re.IGNORECASE)
_SHORT_QUESTION: Final = 8  # words; a question with its labels is answered by them, unless it is shorter still
_SHORTEST_QUESTION: Final = 3
_NEXT: Final = 3  # characters between two sentences
OMITTED: Final = Lazy(
    r"\b(?:leave (?:it |them )?out|omit\w*|skip\w*|drop(?:ped)?|optional|only if|weglassen|lass\w* .{0,30}\bweg\b|"
    r"entfällt|entfallen|omet\w*|omit\w*|opcional\w*|facultati\w+|tralascia\w*|salta\w*|weglaten|laat .{0,30}\bweg\b|"
    r"pomi\w+)\b|省略|可省|可选",
    re.IGNORECASE,
)
# ``the label, then a colon, then a score``
_BESIDE_LABEL: Final = Lazy(
    r"\b(?:label|category|class|code|verdict|kategorie|kürzel|étiquette|catégorie|etiqueta|categoría|categoria|"
    r"etichetta)\b[^.;]{0,40}(?:\bthen\b|\bfollowed by\b|\bseparated by\b|\band (?:an?|the|your)\b|\bdann\b|"
    r"\bgefolgt\b|\bpuis\b|\bsuivie?\b|\bluego\b|\bseguid[ao]\b|\bdepois\b|\bpoi\b|\bseguit[ao]\b|\bdaarna\b|"
    r"\bgevolgd\b)",
    re.IGNORECASE,
)
_SEMICOLONS: Final = Lazy(
    r"\w;\w|semicolon|semikolon|point-virgule|punto y coma|ponto e vírgula|punto e virgola|puntkomma|"
    r"średnik\w*|tab\b|分号",
    re.IGNORECASE,
)
_NAMES: Final = (
    r"(?:english|german|french|spanish|italian|portuguese|dutch|polish|japanese|chinese|englisch|deutsch|französisch|"
    r"spanisch|italienisch|anglais|allemand|français|espagnol|italien|inglés|alemán|francés|español|italiano|inglês|"
    r"alemão|francês|espanhol|inglese|tedesco|francese|spagnolo|engels|duits|frans|nederlands)"
)
_TONGUES: Final = Lazy(
    rf"\b{_NAMES}\s*(?:,|/|\band\b|\bor\b|\bund\b|\boder\b|\bet\b|\bou\b|\by\b|\bo\b|\be\b|\bof\b)\s*{_NAMES}\b",
    re.IGNORECASE,
)
# ``With LGTM there are no bullets``, ``In the summary, …``: a phrase before the rule limits it.
_FRONTED: Final = Lazy(
    r"\W*(?:with|for|in|on|at|under|after|before|mit|bei|für|auf|unter|nach|vor|pour|avec|dans|chez|sous|après|avant|"
    r"con|para|en|después|antes|em|nas|nos|com|depois|dopo|prima|na|po|před|per|nel\w*|met|bij|voor|przy|dla|med|vid|"
    r"hos)\s+(?P<place>(?-i:[A-Z]{2,}[A-Z0-9_-]*)\b|[^,.;:\n]{2,60},)",
    re.IGNORECASE,
)
_ORDINAL: Final = Lazy(
    r"\b(?:first|second|last|final|erste\w*|letzte\w*|premi\w+|derni\w+|primer\w*|últim\w+|primeir\w+|prim[aeio]|"
    r"ultim\w+|eerste|laatste)\b",
    re.IGNORECASE,
)
_GENERAL: Final = Lazy(
    r"\b(?:general|particular|addition|case|circumstances?|total|short|time|times|default|keinen?|fall|umständen|"
    r"général|cas|caso|generale|geval|principle|reply|turn|each|every)\b",
    re.IGNORECASE,
)


def _is_fronted(said: str, made: Sequence[str]) -> bool:
    """Whether a sentence begins with a place or a case that is not the whole answer."""
    if re.match(r"\W*[^，,。、]{1,10}(?:之后|以后|后|のあと|の後に?)[，,、]?", said):
        return True
    found = _FRONTED.match(said)
    if found is None:
        return False
    place = found["place"]
    return (
        place.isupper()
        or re.match(r"\W*(?:after|nach|après|después|depois|dopo|na|po)\b", said, re.IGNORECASE) is not None
        or _ORDINAL.search(place) is not None
        or bool(not _GENERAL.search(place) and unknown_words(place, made) and not names_answer(place, made))
    )


def has_open_case(statements: Sequence[Statement], made: Sequence[str], special: Sequence[str]) -> str:
    """Return a sentence by which some case gets another answer, not fixed word for word; nothing if none does."""
    for each in statements:
        said = each.text
        if each.code or each.section in ("example", "tools") or not is_conditional(said):
            continue
        if any(reply and reply in said for reply in special):
            continue
        unmade = re.search(rf"{NEGATION}\s*\w*\s*{_MAKES}\s+\S+", said, re.IGNORECASE) and any(
            re.search(rf"\b{re.escape(noun)}", said, re.IGNORECASE) for noun in made
        )
        instead = _INSTEAD.search(said)
        bare = re.search(rf"{REPLY}\W+(?:[^\W\d_]+\W+)?{ONLY}(?P<rest>[^.;:\"“„«「`]*)(?:[.;]|$)", said, re.IGNORECASE)
        if bare and len(bare["rest"].split()) > 2:
            return said  # ``write only the name of the colour``
        if unmade or (instead and not re.search(r"[\"“„«「]", said[instead.end() :])):
            return said
    return ""


def _takes_back(later: str, predicate: str) -> bool:
    """Whether the next sentence denies, for some case, what a predicate names: ``No table if …``."""
    named = re.search(r"table|code block|bullets|items|headings|json", predicate)
    denied = rf"{NEGATION}[^.;]*{named.group()}" if named else r"(?!)"
    return is_conditional(later) and re.search(denied, later, re.IGNORECASE) is not None


@lru_cache(maxsize=8192)
def _amounts(text: str, code: str) -> tuple[AskedAmount, ...]:
    return tuple(find_amounts(text, code))


def _other_limit(draft: Draft, statements: Sequence[Statement], made: Sequence[str], code: str) -> str:
    """Return a sentence with another limit that an answer cannot keep beside this one, so that it is for some case.

    That is a larger limit than an upper one, or one for the whole answer that leaves no common amount.
    """
    limit = re.match(
        r"(words|characters|sentences|lines|paragraphs|bullets|items|numbered items|headings|questions|exclamations|"
        r"emoji|links) (?:(<=?|>=?|=) (\d+)|between (\d+) and (\d+))$",
        draft.predicate or "",
    )
    own = next((each for each in statements if each.start <= draft.start < each.end), None) if limit else None
    if own and limit and limit[3] == "0":
        noun = re.compile(rf"(?<![^\W\d_])(?:{_units_of(limit[1])})", re.IGNORECASE)
        pieces = [piece for piece in re.split(r"[;；]", own.text) if noun.search(piece)]
        if len(pieces) > 1 and any(not re.search(NEGATION, piece, re.IGNORECASE) for piece in pieces):
            return own.text  # ``one emoji for each at most; the last has none``
    for each in statements if limit else ():
        if each.code or (each.start < draft.end and draft.start < each.end) or each.section in ("example", "input"):
            continue
        for amount in _amounts(each.text, code):
            if limit is None or amount.measure != limit[1] or amount.form == ">=":
                continue
            if (limit[2] in ("<", "<=") or limit[3] == "0") and amount.high > int(limit[3]):
                return each.text
            if limit[1] in ("bullets", "items", "numbered items") and limit[4] and amount.low != int(limit[4]):
                return each.text  # each of several lists has its own number
            if (
                limit[2] == "="
                and limit[1] in _OF_SHAPE
                and amount.form == "="
                and amount.low not in (1, int(limit[3]))
            ):
                return each.text  # in some case there are more
            least = int(limit[4] or limit[3]) if limit[2] not in ("<", "<=") else 0
            if amount.high < least and names_answer(each.text, made):
                return each.text
    return ""


def _units_of(measure: str) -> str:
    """Return a pattern for the nouns that mean a measure; anything for a measure without nouns."""
    found = [pattern for name, pattern in (*UNITS, *FRENCH_UNITS) if name == measure]
    return "|".join(found) if found else r"\S" if measure.startswith("count") else re.escape(measure[:-1])


def _is_exact(said: str, measure: str, number: int) -> bool:
    """Whether a sentence asks for exactly so many: by a word, by ``one``, or by naming each of them."""
    for match in re.finditer(COUNT, said, re.IGNORECASE):
        if count_of(match.group()) != number:
            continue
        if number == 1:
            if re.match(rf"\W*(?:[^\W\d_]+\W+){{0,2}}?(?:{_units_of(measure)})", said[match.end() :], re.IGNORECASE):
                return True
        elif re.search(rf"(?:{_EXACT})\s*(?:[^\W\d_]+\s+){{0,2}}$", said[: match.start()], re.IGNORECASE):
            return True
        named = re.match(r"[^:：\n]{0,30}[:：]\s*(?P<list>[^.;:。；：\n]+)", said[match.end() :])
        if named and len(re.split(r"[,，、]", named["list"])) == number:
            return True  # ``three paragraphs: the work, the person, how to apply``
    return False


def _own_phrase(draft: Draft, said: str) -> str:
    """Return the phrase of a rule up to the next negation, if it denies by itself; else the whole sentence."""
    own = draft.text.rstrip(".。")
    at = said.lower().find(own.lower())
    if at < 0 or not re.match(NEGATION, own, re.IGNORECASE):
        return said
    return re.split(rf"[,，、;；](?=\s*{NEGATION})", said[at:], flags=re.IGNORECASE)[0]


def _following(statements: Sequence[Statement], end: int) -> Statement | None:
    """Return the first statement that begins after an offset."""
    at = bisect_left(statements, end, key=lambda each: each.start)
    return statements[at] if at < len(statements) else None


def doubt_of(
    draft: Draft,
    text: str,
    statements: Sequence[Statement],
    made: Sequence[str],
    open_case: str,
    code: str,
    *,
    products: bool = False,
) -> str:
    """Return why the predicate of a rule may fail a right answer; nothing if it is sure.

    ``products`` is whether the answer is a number of like things, whose number is asked for by itself.
    """
    predicate = draft.predicate or ""
    later = _following(statements, draft.end)
    if other := _other_limit(draft, statements, made, code):
        return f"there is another limit: {other[:80]}"
    said = text[draft.start : draft.end]
    if predicate.startswith("when ") or not said:
        return ""
    near = later is not None and later.start - draft.end <= _NEXT
    if (
        later is not None
        and near
        and (_EXCEPTION.match(later.text) or _EXEMPT.search(later.text) or _takes_back(later.text, predicate))
    ):
        return f"an exception follows: {later.text[:80]}"
    if (
        len(said) < 400
        and EXCEPTED.search(_own_phrase(draft, said))
        and not re.search(r"json|fields in order|tags only| or one of ", predicate)
    ):
        return "the sentence has an exception"
    if case := _case_of(draft, said, statements, made):
        return case
    if open_case and not _UPPER.match(predicate) and not predicate.startswith(("json field", "language is")):
        return f"another case has another answer: {open_case[:80]}"
    return _doubt_of_shape(draft, said, later, statements) or _doubt_of_form(predicate, said, made, products=products)


def _case_of(draft: Draft, said: str, statements: Sequence[Statement], made: Sequence[str]) -> str:
    """Return why the sentence of a rule may be for one case or one part only."""
    at = bisect_right(statements, draft.start, key=lambda each: each.start) - 1
    whole = statements[at].text if at >= 0 and draft.start < statements[at].end else said
    if _is_fronted(whole, made) and not draft.condition and not re.match(r"each |.*json", draft.predicate or ""):
        return "it may be for what the sentence begins with only"
    before = statements[at - 1] if at > 0 else None
    labelled = re.match(r"one of|is yes", draft.predicate or "")
    most = _SHORTEST_QUESTION if labelled else _SHORT_QUESTION
    short = before is not None and len(before.text.split()) <= most  # ``Breaking change? Then …``
    if before is not None and short and before.text.endswith("?") and statements[at].start - before.end <= _NEXT:
        return "the sentence before asks for the case"
    other = _OTHERWISE.search(whole) and re.match(r"starts with|ends with|one of", draft.predicate or "")
    return "the sentence is for one case" if (other or opens_with_case(whole)) and not draft.condition else ""


def _doubt_of_shape(draft: Draft, said: str, later: Statement | None, statements: Sequence[Statement]) -> str:
    """Return why not every answer has all the parts of a predicate, or has more than its label."""
    predicate = draft.predicate or ""
    if predicate.startswith(("fields in order", "contains all")):
        near = f"{said} {later.text if later else ''}"
        if OMITTED.search(near):
            return "a part may be left out"
    if _STRUCTURE.match(predicate):
        for each in statements:
            if not each.code and is_conditional(each.text) and _SAYS_THAT.search(each.text):
                return f"another case has another answer: {each.text[:80]}"
    if predicate.startswith("is csv") and any(_SEMICOLONS.search(each.text) for each in statements):
        return "its cells are not between commas"
    if predicate.startswith("one of") and not draft.condition:
        for each in statements:
            if not each.code and each.section not in ("example", "input") and _BESIDE_LABEL.search(each.text):
                return f"there is more than the label: {each.text[:80]}"
    return ""


def _doubt_of_form(predicate: str, said: str, made: Sequence[str], *, products: bool) -> str:
    """Return why the sentence alone may not mean what the predicate checks."""
    if _MARKER.search(predicate) or _SIGN_ALONE.match(predicate):
        return "a mark of a list is no text of its items"
    if predicate.startswith("language is") and _TONGUES.search(said):
        return "the sentence lists several languages"
    equal = _EQUAL.match(predicate)
    if (
        equal
        and equal["measure"] not in ("lines", "paragraphs")  # nobody gives their number loosely
        and not (products and predicate.startswith(_LISTED))
        and not _is_exact(said, equal["measure"], int(equal["number"]))
    ):
        return "the sentence does not ask for exactly so many"
    for form, pattern in _KEYWORDS.items():
        found = re.search(pattern, said, re.IGNORECASE) if predicate.startswith(form) else None
        if found and not is_of_whole(said, found.start(), found.end(), made):
            return "it may be for a part of the answer"
    return ""
