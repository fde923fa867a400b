"""Extract the required format: JSON, HTML, lists, tables, letter case, beginning and end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from proctor.generate.extract.aspects import NUMBER, Aspect, number_of, quoted, quoted_texts
from proctor.generate.extract.banned_words import is_template, pattern_of
from proctor.text.lazy_pattern import Lazy

__all__ = ["find_shapes"]

_QUOTED: Final = (
    r"(?:\"(?P<a>[^\"\n]{1,300})\"|“(?P<b>[^”\n]{1,300})”|`(?P<c>[^`\n]{1,300})`|(?<!\w)'(?P<d>[^'\n]{2,200})'(?!\w))"
)
_NOT: Final = (
    r"(?:\b(?:do not|don[’']t|never|no|without|avoid|not|must not|should not|cannot|refrain from|"
    r"exclude)\b[^.;]{0,60}?)"
)

# Email addresses and phone numbers; seven digits or more, so that years and prices do not match.
_EMAIL: Final = r"[\w.+-]+@[\w-]+\.[A-Za-z]{2,}"
_PHONE: Final = r"(?<![\w.-])\+?\(?\d{2,5}\)?(?:[ .-]?\d{2,4}){2,4}(?![\w-])"
_WHOSE: Final = r"(?:\s+(?:from|of|in) the \w+)?"
# (description of the output, predicate, pattern); the first match of a group is used.
_SHAPES: Final[tuple[tuple[str, str, str], ...]] = (
    (
        "is a JSON array of {n} strings",
        "is json array of strings and json array length = {n}",
        rf"\bJSON (?:list|array) of (?:exactly )?(?P<n>{NUMBER}) (?:strings|names|words)\b",
    ),
    (
        "is a JSON array of {n} strings",
        "is json array of strings and json array length = {n}",
        rf"\b(?P<n>{NUMBER}) [\w-]+ (?:as|in) a JSON (?:list|array) of strings\b",
    ),
    (
        "is a JSON array of strings",
        "is json array of strings",
        r"\barray of strings\b|\blist of strings\b|\bJSON (?:list|array) of (?:strings|names|words)\b|"
        r"\\?\[\s*\\?\"\w+\\?\"(?:\s*,\s*(?:\\?\"\w+\\?\"|\.\.\.|…))*\s*\]",
    ),
    ("is a JSON array of objects", "is json array of objects", r"\b(?:JSON )?(?:array|list) of (?:JSON )?objects\b"),
    ("is a JSON array", "is json array", r"\bJSON (?:array|list)\b|\bJSON[- ]formatted (?:array|list)\b"),
    (
        "is a JSON object",
        "is json object",
        r"\b(?:(?:valid|single|flat|one|strict)\s+)*JSON (?:object|dictionary|dict)\b|"
        r"\bJSON with (?:the )?(?:following )?(?:keys|fields|properties)\b",
    ),
    (
        "is valid JSON",
        "is json",
        r"\b(?:in|as|valid|only|raw|pure|return|output|respond with|produce|using) (?:valid |strict |"
        r"well-formed |raw |pure |a )*JSON\b|\bJSON (?:format|only|output|response|string|document)\b|"
        r"\bformatted as JSON\b",
    ),
    (
        "is HTML",
        "is html",
        r"\b(?:in|as|valid|into|only|semantic|return|output|produce) (?:valid |clean |semantic |"
        r"well-formed )*HTML5?\b(?! tags?)|\bHTML (?:format|document|page|snippet|fragment)\b",
    ),
    (
        "is XML",
        "is xml",
        r"\b(?:in|as|valid|into|only|return|output) (?:valid |well-formed )*XML\b(?! tags?)|"
        r"\bXML (?:format|document)\b",
    ),
    ("is CSV", "is csv", r"\b(?:as|in|into|output|return|valid) (?:valid )?CSV\b"),
    ("is a table", "is table", r"\b(?:as|in|into) (?:a |an )?(?:markdown |Markdown )?table\b(?: format)?"),
    (
        "is a bulleted list",
        "bullets >= 1",
        r"\b(?:as|in|using|use|with) (?:a |short |concise |clear |"
        r"markdown )*(?:bullet(?:ed)?[- ]?(?:points?|list|s)\b|bullets\b|bulleted list|"
        r"list of bullet points)",
    ),
    (
        "is a numbered list",
        "numbered items >= 1",
        r"(?:\b(?:as|in|using|use|with|return|provide)\b|^\W*) ?(?:a )?(?:numbered|ordered) (?:list|steps)\b",
    ),
    (
        "is in upper case",
        "case is upper",
        r"\b(?:in|all|use) (?:all )?(?:upper[- ]?case|capital letters|caps|"
        r"capitals)\b(?: letters)?(?=\s*(?:[.,;]|$|only\b|and\b|on\b))",
    ),
    (
        "is in lower case",
        "case is lower",
        r"\b(?:in|all|use|only) (?:all )?lower[- ]?case\b(?: letters)?(?=\s*(?:[.;]|,(?! digits)|$|"
        r"only\b|and (?!digits|numbers|hyphens)|on\b))",
    ),
    ("is in camelCase", "case is camel", r"\b(?:in |use |using )?camel[- ]?case\b"),
    ("is in PascalCase", "case is pascal", r"\b(?:in |use |using )?pascal[- ]?case\b"),
    ("is in snake_case", "case is snake", r"\b(?:in |use |using )?snake[-_ ]?case\b"),
    ("is in kebab-case", "case is kebab", r"\b(?:in |use |using )?kebab[- ]?case\b"),
    ("is in title case", "case is title", r"\b(?:in|use|using) title case\b"),
)
_DENIED: Final[tuple[tuple[str, str, str], ...]] = (
    ("has no emoji", "emoji = 0", r"emojis?\b|emoticons?\b"),
    ("has no Markdown", "no markdown", r"(?:any )?markdown\b(?! (?:code|fences?|blocks?|tables?|headings?))"),
    (
        "has no e-mail addresses",
        f"not (matches /{_EMAIL}/)",
        rf"(?:e-?mail(?: address(?:es)?|s)\b|e-?mail address\b){_WHOSE}",
    ),
    ("has no phone numbers", f"not (matches /{_PHONE}/)", rf"(?:tele)?phone numbers?\b{_WHOSE}"),
    ("has no exclamation marks", 'count "!" = 0', r"exclamation (?:marks?|points?)\b"),
    ("has no links", "links = 0", r"(?:links|urls|hyperlinks|web addresses)\b"),
    ("has no bullet points", "bullets = 0", r"(?:bullet[- ]?points?|bullets|bulleted lists?)\b"),
    ("has no table", "not (is table)", r"(?:(?:markdown )?tables)\b"),
    (
        "has no list",
        "items = 0",
        r"(?:(?<=no )(?<!-three )lists|bulleted lists|list formatting)\b(?! (?:of|repeated|that))",
    ),
    ("has no em dashes", 'contains none "—"', r"em[- ]dash(?:es)?\b"),
    ("has no semicolons", 'contains none ";"', r"semi-?colons?\b"),
    ("has no headings", "headings = 0", r"(?:headings|headers|section titles)\b"),
    ("has no hashtags", "count /#[^\\s#]+/ = 0", r"hashtags?\b"),
    ("has no line breaks", "lines = 1", r"(?:line ?breaks?|newlines?)\b"),
    (
        "has no code block",
        "not (has code block)",
        r"(?:code (?:fences?|blocks?)|markdown fences?|(?:triple )?backticks)\b",
    ),
    ("has no digits", "digits = 0", r"(?:digits|numerals)\b"),
)
_CASES: Final = frozenset(said for said, predicate, _ in _SHAPES if predicate.startswith("case"))
_COMPILED: Final = tuple((said, predicate, Lazy(pattern, re.IGNORECASE)) for said, predicate, pattern in _SHAPES)
_DENIALS: Final = tuple(
    (said, predicate, Lazy(_NOT + r"\b" + pattern, re.IGNORECASE)) for said, predicate, pattern in _DENIED
)
_CASE_NAMES: Final = Lazy(r"\b(?:upper|lower|camel|pascal|snake|kebab|title)[-_ ]?case\b", re.IGNORECASE)
_CASED_WHOLE: Final = Lazy(
    r"(?:write|written|answer|respond|reply|output|outputs|response|responses|text|everything|"
    r"all|be|is|are|it|only|return|"
    r"and|or|in|of|name|names|id|ids|identifier|label|labels|tag|tags|word|words|title|use|using|always|must|should|"
    r"list|category|categories|answers|replies|result|slug|key|keys|operationid|string|"
    r"sentence|sentences|a|an|the|to|as|case|caps)",
    re.IGNORECASE,
)
_BEFORE_NOT: Final = Lazy(
    r"\b(?:do not|don[’']t|never|not|none|without|avoid|no|instead of|rather than|nor)\b[^.;]*$", re.IGNORECASE
)
_PLAIN: Final = Lazy(r"\b(?:in|as|use|return|output|only) plain[- ]text\b|\bplain[- ]text only\b", re.IGNORECASE)
_ONE_LINE: Final = Lazy(r"\b(?:on|in|as|to|be) (?:a |one )?(?:single|one) line\b", re.IGNORECASE)
_MARKS: Final = {
    "period": ".",
    "full stop": ".",
    "semicolon": ";",
    "question mark": "?",
    "exclamation mark": "!",
    "exclamation point": "!",
    "colon": ":",
}
_MARK_END: Final = Lazy(
    r"\b(?:ends?|finish(?:es)?|terminated?|conclude)\b[^.;]{0,30}\b(?:with|in) (?:a |"
    r"an )?(?P<mark>period|full stop|semicolon|question mark|exclamation (?:mark|point)|colon)\b",
    re.IGNORECASE,
)
_TRAILING: Final = Lazy(
    r"\b(?:no|without(?: a)?) (?:trailing|final|ending) (?P<mark>period|full stop|semicolon|colon)\b", re.IGNORECASE
)
_CODE: Final = Lazy(
    r"\b(?:in|inside|within|as|with) (?:a |an |one |single |fenced |markdown |"
    r"the |unique )*(?:`{3}\w* ?|\w+ )?code (?:block|fence)s?\b|\bwrap(?:ped)?\b[^.;]{0,30}\btriple backticks\b|"
    r"\ba single (?:\w+ )?code block\b",
    re.IGNORECASE,
)
_START: Final = Lazy(
    r"\b(?:starts?|begins?|beginning|starting|open|prefix(?:ed)?|preface)\b(?:\s+(?:your|the|all|"
    rf"every|each|any)\s+[\w ]{{1,20}}?)?\s+(?:by saying|with|from)?\s*(?:the (?:exact )?(?:word|words|"
    rf"phrase|text|sentence|line|prefix|greeting|string|question)s?:?\s+)?{_QUOTED}(?!\s*(?:or|,)\s)",
    re.IGNORECASE,
)
_EITHER_END: Final = Lazy(
    r"\b(?P<verb>starts?|begins?|ends?|finish)\b(?:\s+(?:your|the|every|each)\s+\w+)?\s+with\s+(?:either\s+)?"
    r"(?P<list>\"[^\"\n]{1,100}\"(?:\s*,\s*\"[^\"\n]{1,100}\")*,?\s+or\s+\"[^\"\n]{1,100}\")",
    re.IGNORECASE,
)
_STOP: Final = Lazy(
    r"\b(?:ends?|ending|conclude|finish|close|sign off|closing)\b(?:\s+(?:your|the|all|every|each|"
    rf"any)\s+[\w ]{{1,20}}?)?\s+(?:by saying|with)\s*(?:the (?:exact )?(?:word|words|phrase|text|"
    rf"sentence|line|signature|string|question)s?:?\s+)?{_QUOTED}(?!\s*(?:or|,)\s)",
    re.IGNORECASE,
)
_Q: Final = r"(?:\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|`[^`\n]{1,200}`)"
_FORM_AT: Final = Lazy(
    r"(?:\b(?P<verb>ends?|conclude|finish|close|starts?|begins?)\b[^.;\"“`]{0,60}?)?\b(?:in|"
    r"of|using|follow(?:s|ing)?) the (?:form|format|pattern)"
    rf"(?: of)?:?\s+{_Q}",
    re.IGNORECASE,
)
_SENTENCE_AT_END: Final = Lazy(
    rf"\b(?:ends?|conclude|finish|close)\b (?:your (?:answer|response|reply)|the (?:answer|"
    rf"response|reply|message)|every \w+|each \w+)?"
    rf"\s*with (?:a|an|the|this) [^.;\"“`]{{0,60}}?(?:disclaimer|sentence|line|note|phrase|"
    rf"signature|question|reminder|closing)[^.;\"“`]{{0,30}}:\s*{_Q}",
    re.IGNORECASE,
)
_QUESTION: Final = Lazy(
    r"\b(?:ends?|conclude|finish|close)\b[^.;\"]{0,30}\bwith (?:a|"
    r"one) (?:\w+[- ])?(?:\w+ )?question\b(?! or\b|,)",
    re.IGNORECASE,
)
_TAGGED: Final = Lazy(
    r"\b(?:wrap|enclose|put|place|inside|within|in|"
    r"between)\b[^.;]{0,50}?<(?P<tag>[A-Za-z][\w-]*)>(?:\s*(?:and|…|"
    r"\.\.\.)?\s*</(?P=tag)>)?\s*(?:xml |html )?tags?\b",
    re.IGNORECASE,
)
_ALONE: Final = Lazy(r"\b(?:only|just|nothing else|nothing but)\b", re.IGNORECASE)
_KIND_OF_LETTER: Final = (
    r"(?:(?:lower[- ]?case|upper[- ]?case|capital|latin)\s+)?"
    r"(?:letters|digits|numbers|hyphens|dashes|underscores|spaces|dots)"
)
_CHARACTERS: Final = Lazy(
    rf"\bonly\s+(?P<list>{_KIND_OF_LETTER}(?:(?:\s*,\s*(?:and |or )?|\s+and\s+|\s+or\s+){_KIND_OF_LETTER})+)",
    re.IGNORECASE,
)
_CLASSES: Final = (
    (r"lower[- ]?case letters", "a-z"),
    (r"(?:upper[- ]?case|capital) letters", "A-Z"),
    (r"(?<!case )(?<!capital )letters", "A-Za-z"),
    (r"digits|numbers", "0-9"),
    (r"underscores", "_"),
    (r"spaces", " "),
    (r"dots", "."),
    (r"hyphens|dashes", "-"),
)
_ONE_QUESTION: Final = Lazy(
    r"\bask (?:exactly |only |just )?(?:one|a single|1) question\b(?: (?:per|in each|in every|"
    r"at a time)\b(?: \w+)?)?",
    re.IGNORECASE,
)
_MOST_QUESTIONS: Final = Lazy(
    rf"\b(?:ask|asks|asking)\b[^.;]{{0,20}}?\b(?:at most|no more than|not more than|up to|"
    rf"a maximum of|only|never more than)\s+"
    rf"(?P<n>{NUMBER})\s+(?:\w+\s+)?questions?\b",
    re.IGNORECASE,
)
_IN_A_LINE: Final = Lazy(
    r"\b(?:line|section|paragraph|bullet|item|block)\b[^.;]{0,30}\b(?:that|which)\s+$", re.IGNORECASE
)
_NEW_TASK: Final = Lazy(r"\b(?:each|every|any|the (?:word|title|name|key|keyword|heading)s?)\b", re.IGNORECASE)


def find_shapes(clause: str) -> Iterator[Aspect]:
    """Yield the required format of the output; nothing if the clause is about a part only."""
    yield from _together(list(_denied(clause)))
    yield from _asked(clause)
    yield from list(_ends(clause)) or _forms(clause)
    if match := _PLAIN.search(clause):
        yield _made("has no Markdown", "no markdown", match)
    yield from _marks(clause)
    if (match := _ONE_LINE.search(clause)) and not _BEFORE_NOT.search(clause, 0, match.start()):
        yield _made("is on a single line", "lines = 1", match)
    if (match := _CODE.search(clause)) and not _BEFORE_NOT.search(clause, 0, match.start()):
        if _ALONE.search(clause):
            yield _made("is only a code block", "has code block and no extra text", match)
        else:
            yield _made("has a code block", "has code block", match)
    if (match := _CHARACTERS.search(clause)) and not _BEFORE_NOT.search(clause, 0, match.start()):
        kinds = [kind for word, kind in _CLASSES if re.search(word, match.group("list"), re.IGNORECASE)]
        yield _made(f"has only {match.group('list').strip()}", f"only characters /[{''.join(kinds)}]/", match)
    if (match := _ONE_QUESTION.search(clause)) and not _BEFORE_NOT.search(clause, 0, match.start()):
        yield _made("asks exactly one question", "questions = 1", match)
    elif match := _MOST_QUESTIONS.search(clause):
        n = number_of(match.group("n"))
        yield _made(f"asks at most {n} question{'s' * (n != 1)}", f"questions <= {n}", match)
    if (
        (match := _TAGGED.search(clause))
        and not _NEW_TASK.search(clause)
        and not _BEFORE_NOT.search(clause, 0, match.start())
    ):
        tag = match.group("tag")
        yield _made(f"has its answer in <{tag}> tags", f'tags "{tag}" = 1', match)


def _asked(clause: str) -> Iterator[Aspect]:
    structured = False
    for said, predicate, pattern in _COMPILED:
        match = pattern.search(clause)
        if match is None or _BEFORE_NOT.search(clause, 0, match.start()):
            continue
        if "json" in predicate:
            if structured:
                continue
            structured = True
        if said in _CASES and (_NEW_TASK.search(clause) or _of_words(clause, match)):
            continue
        n = number_of(match.group("n")) if "{n}" in said else 0
        yield _made(said.replace("{n}", str(n)), predicate.replace("{n}", str(n)), match)


def _of_words(clause: str, match: re.Match[str]) -> bool:
    """Whether a letter case is that of some words only: ``keywords in upper case and identifiers in lower case``."""
    cases = {each.group().lower()[:5] for each in _CASE_NAMES.finditer(clause)}
    before = re.search(r"([\w-]+)\s*$", clause[: match.start()])
    return len(cases) > 1 or (before is not None and _CASED_WHOLE.fullmatch(before[1]) is None)


def _denied(clause: str) -> Iterator[Aspect]:
    for said, predicate, pattern in _DENIALS:
        match = pattern.search(clause)
        if match and not re.search(
            r"\b(?:unless|except|more than|too many|excessive|overuse|start|begin|end|whole|entire)\b",
            clause,
            re.IGNORECASE,
        ):
            yield _made(said, predicate, match)


def _together(denied: list[Aspect]) -> Iterator[Aspect]:
    """Merge ``no e-mail addresses or phone numbers`` to one aspect; emoji and headings stay two."""
    contact = [each for each in denied if "matches" in each.predicate or each.predicate == "links = 0"]
    if len(contact) > 1:
        names = [each.text.removeprefix("The output has no ").rstrip(".") for each in contact]
        yield replace(
            contact[0],
            text=f"The output has no {', '.join(names[:-1])} or {names[-1]}.",
            predicate=" and ".join(each.predicate for each in contact),
            end=max(each.end for each in contact),
        )
    yield from (each for each in denied if each not in contact or len(contact) == 1)


def _ends(clause: str) -> Iterator[Aspect]:
    if match := _EITHER_END.search(clause):
        choice = quoted_texts(match.group("list"))
        verb = "start" if match.group("verb").lower().startswith(("start", "begin")) else "end"
        against = bool(_BEFORE_NOT.search(clause, 0, match.start()))
        named = " or ".join(f'"{word}"' for word in choice)
        predicate = f"{verb}s with {quoted(choice)}"
        said = f"does not {verb} with {named}" if against else f"{verb}s with {named}"
        yield _made(said, f"not ({predicate})" if against else predicate, match)
        return
    for pattern, form, verb in ((_START, "starts with", "starts"), (_STOP, "ends with", "ends")):
        if match := pattern.search(clause):
            words = next(match.group(name) for name in "abcd" if match.group(name) is not None)
            if is_template(words):
                continue
            if _IN_A_LINE.search(clause, 0, match.start()):
                if pattern is _START:
                    yield _made(f'has a line that starts with "{words}"', f"matches /^{_literal(words)}/m", match)
                continue
            against = bool(_BEFORE_NOT.search(clause, 0, match.start()))
            said = f'does not {verb[:-1]} with "{words}"' if against else f'{verb} with "{words}"'
            predicate = f"{form} {quoted([words])}"
            yield _made(said, f"not ({predicate})" if against else predicate, match)
    if (match := _QUESTION.search(clause)) and not _BEFORE_NOT.search(clause, 0, match.start()):
        yield _made("ends with a question", r"matches /[?？]\W*$/", match)


def _forms(clause: str) -> Iterator[Aspect]:
    """Yield a text of a given form: ``end with the number in the form "Ticket: C-1234"``, or a sentence at the end."""
    if (match := _FORM_AT.search(clause)) and not _BEFORE_NOT.search(clause, 0, match.start()):
        words = quoted_texts(match.group())[-1]
        if not is_template(words) and (re.search(r"\d", words) or match["verb"]):
            end = match["verb"] is not None and not match["verb"].lower().startswith(("start", "begin"))
            said = "ends" if end else "starts" if match["verb"] else "has something"
            pattern = pattern_of(words)
            form = (
                f"matches /{pattern}\\W*$/"
                if end
                else f"matches /^\\W*{pattern}/"
                if match["verb"]
                else f"matches /{pattern}/"
            )
            yield _made(f'{said} {"with a text like" if match["verb"] else "like"} "{words}"', form, match)
    elif (match := _SENTENCE_AT_END.search(clause)) and not _BEFORE_NOT.search(clause, 0, match.start()):
        words = quoted_texts(match.group())[-1]
        if not is_template(words):
            yield _made(
                f'ends with "{words}"', f"matches /{_literal(words).rstrip('.').removesuffix(chr(92))}\\W*$/", match
            )


def _literal(words: str) -> str:
    return re.sub(r"([^\w\s:;,!\"'-])", r"\\\1", words)


def _marks(clause: str) -> Iterator[Aspect]:
    if match := _TRAILING.search(clause):
        mark = match.group("mark").lower()
        yield _made(f"does not end with a {mark}", f"not (ends with {quoted([_MARKS[mark]])})", match)
    elif (match := _MARK_END.search(clause)) and not _BEFORE_NOT.search(clause, 0, match.start()):
        mark = match.group("mark").lower()
        yield _made(f"ends with a {mark}", f"ends with {quoted([_MARKS[mark]])}", match)


def _made(said: str, predicate: str, match: re.Match[str]) -> Aspect:
    return Aspect(text=f"The output {said}.", predicate=predicate, start=match.start(), end=match.end())
