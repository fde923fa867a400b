"""The shape an output is asked to have: JSON, HTML, lists, tables, letter case, how it begins and ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.generate.extract.aspects import Aspect, quoted

__all__ = ["find_shapes"]

_QUOTED: Final = (
    r"(?:\"(?P<a>[^\"\n]{1,300})\"|“(?P<b>[^”\n]{1,300})”|`(?P<c>[^`\n]{1,300})`|(?<!\w)'(?P<d>[^'\n]{2,200})'(?!\w))"
)
_NOT: Final = (
    r"(?:\b(?:do not|don[’']t|never|no|without|avoid|not|must not|should not|cannot|refrain from|"
    r"exclude)\b[^.;]{0,40}?)"
)

# (what it says of the output, predicate, pattern); the first of a group that fits is taken.
_SHAPES: Final[tuple[tuple[str, str, str], ...]] = (
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
        r"\b(?:as|in|using|use|with|return|provide) (?:a )?(?:numbered|ordered) (?:list|steps)\b",
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
        r"\b(?:in|all|use|only) (?:all )?lower[- ]?case\b(?: letters)?(?=\s*(?:[.,;]|$|only\b|and\b|on\b))",
    ),
    ("is in camelCase", "case is camel", r"\b(?:in |use |using )?camel[- ]?case\b"),
    ("is in PascalCase", "case is pascal", r"\b(?:in |use |using )?pascal[- ]?case\b"),
    ("is in snake_case", "case is snake", r"\b(?:in |use |using )?snake[-_ ]?case\b"),
    ("is in kebab-case", "case is kebab", r"\b(?:in |use |using )?kebab[- ]?case\b"),
    ("is in title case", "case is title", r"\b(?:in|use|using) title case\b"),
)
_DENIED: Final[tuple[tuple[str, str, str], ...]] = (
    ("has no emoji", "emoji = 0", r"emojis?\b|emoticons?\b"),
    ("has no Markdown", "no markdown", r"(?:any )?markdown\b"),
    ("has no exclamation marks", 'count "!" = 0', r"exclamation (?:marks?|points?)\b"),
    ("has no links", "links = 0", r"(?:links|urls|hyperlinks)\b"),
    ("has no bullet points", "bullets = 0", r"(?:bullet[- ]?points?|bullets|bulleted lists?)\b"),
    ("has no headings", "headings = 0", r"(?:headings|headers|section titles)\b"),
    ("has no hashtags", "count /#[^\\s#]+/ = 0", r"hashtags?\b"),
    ("has no line breaks", "lines = 1", r"(?:line ?breaks?|newlines?)\b"),
    ("has no code block", "not (has code block)", r"(?:code (?:fences?|blocks?)|(?:triple )?backticks)\b"),
    ("has no digits", "digits = 0", r"(?:digits|numerals)\b"),
)
_CASES: Final = frozenset(said for said, predicate, _ in _SHAPES if predicate.startswith("case"))
_COMPILED: Final = tuple((said, predicate, re.compile(pattern, re.IGNORECASE)) for said, predicate, pattern in _SHAPES)
_DENIALS: Final = tuple(
    (said, predicate, re.compile(_NOT + r"\b" + pattern, re.IGNORECASE)) for said, predicate, pattern in _DENIED
)
_BEFORE_NOT: Final = re.compile(
    r"\b(?:do not|don[’']t|never|not|without|avoid|no|instead of|rather than|nor)\b[^.;]*$", re.IGNORECASE
)
_PLAIN: Final = re.compile(r"\b(?:in|as|use|return|output|only) plain[- ]text\b|\bplain[- ]text only\b", re.IGNORECASE)
_ONE_LINE: Final = re.compile(r"\b(?:on|in|as|to|be) (?:a |one )?(?:single|one) line\b", re.IGNORECASE)
_MARKS: Final = {
    "period": ".",
    "full stop": ".",
    "semicolon": ";",
    "question mark": "?",
    "exclamation mark": "!",
    "exclamation point": "!",
    "colon": ":",
}
_MARK_END: Final = re.compile(
    r"\b(?:ends?|finish(?:es)?|terminated?|conclude)\b[^.;]{0,30}\b(?:with|in) (?:a |"
    r"an )?(?P<mark>period|full stop|semicolon|question mark|exclamation (?:mark|point)|colon)\b",
    re.IGNORECASE,
)
_TRAILING: Final = re.compile(
    r"\b(?:no|without(?: a)?) (?:trailing|final|ending) (?P<mark>period|full stop|semicolon|colon)\b", re.IGNORECASE
)
_KEYS: Final = re.compile(
    r"\b(?:keys|fields|properties|"
    r"attributes)\b:?\s+(?P<list>[`\"“']?[\w-]+[`\"”']?(?:(?:\s*,\s*(?:and |or )?|"
    r"\s+and\s+)[`\"“']?[\w-]+[`\"”']?)+)(?=\s*(?:[.;:)]|$|,\s*(?:where|each|with)))",
    re.IGNORECASE,
)
_EACH_WITH: Final = re.compile(
    r"\b(?:each|object|objects)\s+(?:with|containing|"
    r"having)\s+(?:the\s+)?(?P<list>[`\"“'][\w-]+[`\"”'](?:(?:\s*,\s*(?:and )?|"
    r"\s+and\s+)[`\"“'][\w-]+[`\"”'])+)",
    re.IGNORECASE,
)
_NAME: Final = re.compile(r"[\w-]+")
_CODE: Final = re.compile(
    r"\b(?:in|inside|within|as|with) (?:a |an |one |single |fenced |markdown |"
    r"the )*(?:\w+ )?code (?:block|fence)s?\b|\bwrap(?:ped)?\b[^.;]{0,30}\btriple backticks\b",
    re.IGNORECASE,
)
_START: Final = re.compile(
    r"\b(?:starts?|begins?|beginning|starting|open|prefix(?:ed)?|preface)\b(?:\s+(?:your|the|all|"
    rf"every|each|any)\s+[\w ]{{1,20}}?)?\s+(?:by saying|with|from)?\s*(?:the (?:exact )?(?:word|words|"
    rf"phrase|text|sentence|line|prefix|greeting|string)s?:?\s+)?{_QUOTED}(?!\s*(?:or|,)\s)",
    re.IGNORECASE,
)
_STOP: Final = re.compile(
    r"\b(?:ends?|ending|conclude|finish|close|sign off|closing)\b(?:\s+(?:your|the|all|every|each|"
    rf"any)\s+[\w ]{{1,20}}?)?\s+(?:by saying|with)\s*(?:the (?:exact )?(?:word|words|phrase|text|"
    rf"sentence|line|signature|string)s?:?\s+)?{_QUOTED}(?!\s*(?:or|,)\s)",
    re.IGNORECASE,
)
_QUESTION: Final = re.compile(
    r"\b(?:ends?|conclude|finish|close)\b[^.;\"]{0,30}\bwith (?:a|one) (?:\w+[- ])?(?:\w+ )?question\b", re.IGNORECASE
)
_TAGGED: Final = re.compile(
    r"\b(?:wrap|enclose|put|place|inside|within|in|"
    r"between)\b[^.;]{0,50}?<(?P<tag>[A-Za-z][\w-]*)>(?:\s*(?:and|…|"
    r"\.\.\.)?\s*</(?P=tag)>)?\s*(?:xml |html )?tags?\b",
    re.IGNORECASE,
)
_NEW_TASK: Final = re.compile(r"\b(?:each|every|any|the (?:word|title|name|key|keyword|heading)s?)\b", re.IGNORECASE)


def find_shapes(clause: str) -> Iterator[Aspect]:
    """What the clause says of the output's shape; nothing where it says it of a part only."""
    denied = list(_denied(clause))
    yield from denied
    yield from _asked(clause)
    yield from _ends(clause)
    if match := _PLAIN.search(clause):
        yield _made("has no Markdown", "no markdown", match)
    yield from _marks(clause)
    if (match := _KEYS.search(clause) or _EACH_WITH.search(clause)) and re.search(
        r"\bjson\b|\bobject\b", clause, re.IGNORECASE
    ):
        names = [name for name in _NAME.findall(match.group("list")) if name not in ("and", "or")]
        yield _made(f"has the keys {', '.join(names)}", f"json has {quoted(names)}", match)
    if (match := _ONE_LINE.search(clause)) and not _BEFORE_NOT.search(clause, 0, match.start()):
        yield _made("is on a single line", "lines = 1", match)
    if (match := _CODE.search(clause)) and not _BEFORE_NOT.search(clause, 0, match.start()):
        yield _made("has a code block", "has code block", match)
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
        if said in _CASES and _NEW_TASK.search(clause):
            continue
        yield _made(said, predicate, match)


def _denied(clause: str) -> Iterator[Aspect]:
    for said, predicate, pattern in _DENIALS:
        match = pattern.search(clause)
        if match and not re.search(
            r"\b(?:unless|except|more than|too many|excessive|overuse|start|begin|end|whole|entire)\b",
            clause,
            re.IGNORECASE,
        ):
            yield _made(said, predicate, match)


def _ends(clause: str) -> Iterator[Aspect]:
    for pattern, form, verb in ((_START, "starts with", "starts"), (_STOP, "ends with", "ends")):
        if match := pattern.search(clause):
            words = next(match.group(name) for name in "abcd" if match.group(name) is not None)
            against = bool(_BEFORE_NOT.search(clause, 0, match.start()))
            said = f'does not {verb[:-1]} with "{words}"' if against else f'{verb} with "{words}"'
            predicate = f"{form} {quoted([words])}"
            yield _made(said, f"not ({predicate})" if against else predicate, match)
    if (match := _QUESTION.search(clause)) and not _BEFORE_NOT.search(clause, 0, match.start()):
        yield _made("ends with a question", r"matches /[?？]\W*$/", match)


def _marks(clause: str) -> Iterator[Aspect]:
    if match := _TRAILING.search(clause):
        mark = match.group("mark").lower()
        yield _made(f"does not end with a {mark}", f"not (ends with {quoted([_MARKS[mark]])})", match)
    elif (match := _MARK_END.search(clause)) and not _BEFORE_NOT.search(clause, 0, match.start()):
        mark = match.group("mark").lower()
        yield _made(f"ends with a {mark}", f"ends with {quoted([_MARKS[mark]])}", match)


def _made(said: str, predicate: str, match: re.Match[str]) -> Aspect:
    return Aspect(text=f"The output {said}.", predicate=predicate, start=match.start(), end=match.end())
