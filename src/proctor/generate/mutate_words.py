"""Negate, weaken, or change the form of a statement by word substitution, never inside a variable."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

__all__ = ["negated", "swapped", "template_parts", "weakened"]

_TEMPLATE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.S)
_CONDITION = re.compile(r"\s*(?:if|when|whenever|unless|in case|where)\b[^,]{0,300},\s*", re.I)

Swap = tuple[re.Pattern[str], str]

_VERBS = (
    "add|answer|ask|begin|choose|cite|classify|conclude|convert|create|decline|describe|determine|emphasi[sz]e|end|"
    "ensure|explain|extract|finish|focus|follow|format|generate|give|highlight|identify|include|keep|label|leave|"
    "limit|list|make|mark|mention|name|output|pick|place|present|preserve|print|produce|provide|put|quote|refuse|"
    "remove|repeat|replace|reply|report|respond|return|rewrite|say|score|select|separate|sort|speak|split|start|"
    "state|stick|summari[sz]e|tag|tell|translate|turn|use|wrap|write"
)
_IMPERATIVE = re.compile(
    rf"(?P<before>^[\s>*#\-•]*(?:\d+[.)]\s*)?|[.;:!?]\s+|,\s+(?:and\s+|then\s+)?|\band\s+|\bthen\s+)"
    rf"(?P<please>(?:\*\*)?(?:please\s+)?)(?P<verb>{_VERBS})\b",
    re.I,
)
_NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "fifty": 50, "hundred": 100,
}  # fmt: skip
_NUMBER = rf"(?P<number>\d[\d,]*|\b(?:{'|'.join(_NUMBERS)})\b)"
_UNIT = r"(?:words?|characters?|letters?|sentences?|lines?|paragraphs?|items?|bullets?|points?|tokens?|tags?|options?)"
_MOST = (
    r"not (?:to )?exceed(?:ing)?|at most|no more than|not more than|no longer than|up to|max(?:imum)?(?: of)?|"
    r"fewer than|less than|under|within|below|limit(?:ed)?(?: \w+){0,3}? to"
)
_LEAST = r"at least|more than|no fewer than|no less than|not less than|min(?:imum)?(?: of)?|over"


def _table(*rows: tuple[str, str]) -> tuple[Swap, ...]:
    return tuple((re.compile(pattern, re.I), put) for pattern, put in rows)


_OPPOSITES = _table(
    (r"\bdoes not exceed\b", "has more than"),
    (r"\bdoes not (\w+)", r"\1s"),
    (r"\b(?:do not|don['’]t)\s+(?:ever\s+)?", ""),
    (r"\b(must|should|shall|may|can|will|is|are|need)(?: not\b|n['’]t\b)", r"\1"),
    (r"\bcannot\b|\bcan['’]t\b", "can"),
    (r"\bnever\b", "always"),
    (r"\balways\b", "never"),
    (r"\bwithout\b", "with"),
    (r"\bnot exceed\b", "have more than"),
    (r"\b(?:at most|no more than|not more than|no longer than|up to|(?:a )?maximum of)\b", "more than"),
    (r"\bat least\b|\bno fewer than\b|\b(?:a )?minimum of\b", "fewer than"),
    (r"\bmore than\b|\bover(?= \d)", "at most"),
    (r"\b(?:fewer|less) than\b|\b(?:under|below|within)(?= \d)", "at least"),
    (rf"\b(\d+ {_UNIT}) or (?:less|fewer)\b", r"more than \1"),
    (rf"\b(\d+ {_UNIT}) or more\b", r"fewer than \1"),
    (r"\bexactly\b", "anything but"),
    (r"\b(just|only|solely|exclusively)\b", "not only"),
    (r"\bavoid\b", "use"),
    (r"\b(must|should|shall|has to|have to|needs? to)\b", r"\1 not"),
    (r"\b(?:a )?single paragraph\b|\bone paragraph\b", "several paragraphs"),
    (r"\b(?:a )?single sentence\b|\bone sentence\b", "several sentences"),
    (r"\b(?:a )?single word\b|\bone word\b", "several words"),
    ("以内|以下", "以上"),
    ("しないでください", "してください"),
    ("してください", "しないでください"),
    ("必ず", "決して"),
)
_NEGATED_VERB = _table((r"\bone of\b", "none of"), (r"\b(is|are|will be)\b", r"\1 not"), (r"\bcan\b", "cannot"))
_SOFTER = _table(
    (r"\b(?:must|shall|should) (?:not|never)\b|\bmustn['’]t\b|\bshouldn['’]t\b", "would preferably not"),
    (r"\b(?:do not|don['’]t)\b", "try not to"),
    (r"\b(?:must|shall|should|has to|have to|needs? to|(?:is|are) required to)\b", "may"),
    (r"\balways\b", "usually"),
    (r"\bnever\b", "rarely"),
    (r"\b(?:just|only|solely|exclusively)\b", "mainly"),
    (r"\b(?:exactly|strictly)\b", "roughly"),
    (r"\bcannot\b|\bcan['’]t\b", "can hardly"),
    (r"\bensur(e|ing)\b", r"hop\1"),
    (r"\bone of\b", "for example one of"),
    (r"\b(is|are|will be)\b", r"\1 usually"),
    ("必ず", "できれば"),
    ("のみ|だけ", "主に"),
    ("しないでください", "しないほうがよいです"),
    ("してください", "してもかまいません"),
)
_FORMS = _table(
    (r"\b(?:a |an )?(?:valid |well-formed )?JSON(?: (?:object|array|list|document|string|format))?s?\b", "plain prose"),
    (r"\b(?:an |a )?array\b", "a sentence"),
    (r"\b(?:a )?(?:markdown |HTML )?table\b", "a sentence"),
    (r"\bHTML\b|\bXML\b|\bYAML\b|\bCSV\b", "plain prose"),
    (r"\bmarkdown\b", "HTML"),
    (r"\bplain text\b", "Markdown with headings"),
    (
        r"\b(?:a )?(?:bullet(?:ed)?(?:[ -]points?)?|numbered) lists?\b|\bbullet(?:ed)?[ -]points?\b",
        "a running paragraph",
    ),
    (r"\bcomma[-_ ]separated", "line_separated"),
    (r"\b(?:a )?single paragraph\b|\bone paragraph\b", "a bulleted list"),
    (r"\b(?:a )?(?:single|one) sentence\b", "a numbered list"),
    (r"\b(?:a )?(?:single|one) word\b", "a full sentence"),
    (r"\byes or no\b", "a full explanation"),
    (r"\b(?:lower ?case|lower-case)\b", "upper case"),
    (r"\b(?:upper ?case|upper-case|capital letters)\b", "lower case"),
    (r"\bcamel ?case\b", "snake_case"),
    (r"\bsnake_case\b|\bkebab-case\b|\bpascal ?case\b", "camelCase"),
    (r"\bEnglish\b", "French"),
    (r"\b(?:French|German|Spanish|Italian|Portuguese|Japanese|Chinese|Dutch)\b", "English"),
    (r"\b(?:an integer|a number|a digit)\b", "a sentence"),
    (r"<(?:p|strong|em|b|i|u|li|ul|ol|span|h[1-6]|table|code)>", "<div>"),
    ("英語", "フランス語"),
    ("日本語", "英語"),
    ("箇条書き", "文章"),
)


def negated(stretch: str, opposite: str = "") -> str | None:
    """Return the opposite of a requirement; in the words of ``opposite`` if no rule applies."""
    for part in _consequence_first(stretch):
        found = _first(part, _OPPOSITES) or _before_verb(part, "do not ") or _first(part, _NEGATED_VERB)
        if found is not None:
            return stretch.replace(part, found, 1)
    return f"{template_parts(stretch)}{opposite}" if opposite else None


def weakened(stretch: str) -> str | None:
    """Return the text with looser bounds, or with its command as a permission; None if it commands nothing."""
    for part in _consequence_first(stretch):
        found = _loosened(part) or _first(part, _SOFTER) or _before_verb(part, "you may ")
        if found is not None:
            return stretch.replace(part, found, 1)
    return None


def swapped(stretch: str) -> str | None:
    """Return the text with another form (prose for JSON, French for English); None if it names no form."""
    return _first(stretch, _FORMS)


def template_parts(stretch: str) -> str:
    """Return the variables and template marks of a text: what is left if its words are dropped."""
    return " ".join(match.group() for match in _TEMPLATE.finditer(stretch))


def _consequence_first(stretch: str) -> Iterator[str]:
    """Yield the consequence before the whole: ``if X, do Y`` is changed in Y."""
    condition = _CONDITION.match(stretch)
    if condition and len(stretch) > condition.end():
        yield stretch[condition.end() :]
    yield stretch


def _first(text: str, table: Sequence[Swap]) -> str | None:
    """Apply the first row that changes the text outside its variables."""
    for pattern, put in table:
        for match in pattern.finditer(text):
            if not _in_template(text, match):
                new = match.expand(put)
                return text[: match.start()] + _cased(new, match.group()) + _rest(text, match, new)
    return None


def _rest(text: str, match: re.Match[str], new: str) -> str:
    """Return the rest; if the first word was removed, the next one is capitalised."""
    rest = text[match.end() :]
    return rest[:1].upper() + rest[1:] if not new and match.group()[:1].isupper() else rest


def _cased(new: str, old: str) -> str:
    return new[:1].upper() + new[1:] if old[:1].isupper() and old[1:2].islower() else new


def _before_verb(text: str, words: str) -> str | None:
    for match in _IMPERATIVE.finditer(text):
        if _in_template(text, match):
            continue
        verb = match["verb"]
        new = words + verb.lower()
        new = new[:1].upper() + new[1:] if verb[:1].isupper() else new
        return f"{text[: match.start()]}{match['before']}{match['please']}{new}{text[match.end() :]}"
    return None


_ROOM = (
    (re.compile(rf"(?P<cue>\b(?:{_MOST}))\s+{_NUMBER}", re.I), 2.0),
    (re.compile(rf"(?P<cue>){_NUMBER}(?=[ -]{_UNIT} (?:or (?:less|fewer)|max|at most))", re.I), 2.0),
    (re.compile(rf"(?P<cue>\b(?:{_LEAST}))\s+{_NUMBER}", re.I), 0.5),
    (re.compile(r"(?P<cue>)(?P<number>\d+)(?=(?:文字|語|単語|文|行)?(?:以内|以下))"), 2.0),
    (re.compile(r"(?P<cue>)(?P<number>\d+)(?=(?:文字|語|単語|文|行)?以上)"), 0.5),
)
_RANGE = re.compile(rf"(?:between|from) {_NUMBER} (?:and|to) (?P<high>\d+)", re.I)


def _loosened(text: str) -> str | None:
    """Double an upper limit, or halve a lower one."""
    if (match := _RANGE.search(text)) and not _in_template(text, match):
        new = f"between {_value(match) // 2} and {int(match['high']) * 2}"
        return text[: match.start()] + new + text[match.end() :]
    for pattern, factor in _ROOM:
        match = pattern.search(text)
        if match and not _in_template(text, match):
            room = f"{match['cue']} {int(_value(match) * factor)}".lstrip()
            return text[: match.start()] + room + text[match.end() :]
    return None


def _value(match: re.Match[str]) -> int:
    written = match["number"].lower()
    return _NUMBERS.get(written) or int(written.replace(",", ""))


def _in_template(text: str, match: re.Match[str]) -> bool:
    return any(mark.start() < match.end() and match.start() < mark.end() for mark in _TEMPLATE.finditer(text))
