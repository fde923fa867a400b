"""Classify the kind of a rule, and how strongly it is meant."""

from __future__ import annotations

import re
from typing import Final, Literal

from proctor.text.lazy_pattern import Lazy

__all__ = ["Kind", "kind_of", "priority_of"]

Kind = Literal["format", "content", "refusal", "style", "safety"]

_KINDS: Final[tuple[tuple[Kind, str], ...]] = (
    (
        "safety",
        r"\b(?:harm(?:ful)?|dangerous|illegal|offensive|hate|hateful|discriminat\w+|violen\w+|personal (?:data|"
        r"information)|pii|confidential|secrets?|passwords?|credentials?|system prompt|these instructions|your "
        r"instructions|internal|(?:medical|legal|financial|investment|tax) (?:advice|diagnos\w+)|diagnos\w+|"
        r"self-harm|suicid\w+|prompt injection|inappropriate|sexual|profan\w+|swear|slurs?|private|sensitive|api "
        r"keys?|emergency|stereotyp\w+)\b|個人情報|機密|医療|法律相談",
    ),
    (
        "refusal",
        r"\b(?:decline|refuse|reject|unable|cannot|can[’']t answer|do(?:es)? not know|don[’']t know|not sure|unsure|"
        r"uncertain|insufficient|unknown|cantanswer|not (?:found|available|mentioned|provided|present|contain|in "
        r"the)|off[- ]topic|unrelated|irrelevant|outside|out of scope|no (?:answer|information|match|such)|n/?a\b|"
        r"apologi[sz]e|ambiguous|unclear|empty|missing|invalid|doesn[’']t|does not|do not find|don[’']t find)\b|"
        r"わからない|分からない|不明|答えられ",
    ),
    (
        "format",
        r"\b(?:format|json|xml|html|markdown|yaml|csv|table|bullets?|bulleted|numbered|characters|single (?:word|"
        r"sentence|line|paragraph)|headings?|headers?|part of speech tag|tags?|code block|backticks|only the|just "
        r"the|nothing else|no (?:other|extra|additional)|explanations?|preamble|comma[- ]separated|columns?|keys?|"
        r"fields?|quotes|quotation|uppercase|lowercase|camelcase|capital\w*|punctuation|colon|prefix|brackets?|"
        r"emojis?|hashtags?|length|in english|indent\w*|title case|date|iso)\b|<\w+>|形式|文字|箇条書き|日本語で|"
        r"英語で|のみ",
    ),
    (
        "style",
        r"\b(?:tone|style|voice|words like|simple words|honorifics|formal|informal|casual|friendly|polite\w*|"
        r"professional\w*|warm|empath\w+|concise\w*|brief\w*|short|clear\w*|simple|simpl\w+|plain|conversational|"
        r"engaging|readab\w+|easy|fluid|natural\w*|humou?r\w*|persona|jargon|slang|sound\w*|enthusias\w+|"
        r"respectful\w*|neutral|objective|first person|second person|third person|active voice|passive|sarcas\w+|"
        r"poetic|artistic|vivid|shakespeare\w*|pirate|like a|encouraging|positive|upbeat|direct\w*|wordy|verbose|"
        r"succinct\w*|calm|patient\w*|courteous)\b|敬語|丁寧|口調|簡潔|です・ます",
    ),
)
_COMPILED: Final = tuple((kind, Lazy(pattern, re.IGNORECASE)) for kind, pattern in _KINDS)
_STRONG: Final = Lazy(
    r"^\W*(?:do not|don[’']t|please do not)\b|\b(?:must|never|always|only|cannot|required|mandatory|strictly|exactly|"
    r"important|critical|under no circumstances|ensure|have to|shall)\b|\*\*|必ず|絶対|のみ|しないで",
    re.IGNORECASE | re.MULTILINE,
)
_SOFT: Final = Lazy(
    r"\b(?:prefer\w*|try to|ideally|where possible|if possible|when possible|consider|aim to|may|"
    r"optional\w*|could|generally|usually)\b|なるべく|できるだけ",
    re.IGNORECASE,
)


def kind_of(text: str, *, condition: str = "", special: bool = False) -> Kind:
    """Return the kind of a rule; a requirement under a failure condition is a refusal."""
    for kind, pattern in _COMPILED:
        if kind == "refusal":
            if condition and condition != "otherwise" and (special or pattern.search(condition) or _declines(text)):
                return "refusal"
            if _declines(text):
                return "refusal"
        elif pattern.search(text):
            return kind
    return "content"


def _declines(text: str) -> bool:
    return bool(
        re.search(
            r"\b(?:declines?|refuses?|apologi[sz]es?|say(?:s|ing)? (?:that )?(?:you|it) (?:do|does|"
            r"can)(?:n[’']t| not))\b",
            text,
            re.IGNORECASE,
        )
    )


def priority_of(text: str) -> int:
    """Return 2 for a strict requirement, 1 for a plain one, 0 for a preference."""
    if _SOFT.search(text) and not re.search(r"\b(?:must|never)\b", text, re.IGNORECASE):
        return 0
    return 2 if _STRONG.search(text) else 1
