"""Paraphrase a question by rules, keeping names, numbers and negations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.text.claims import statements
from proctor.text.content_words import negated
from proctor.text.quantities import find_quantities
from proctor.text.script_ranges import HAN, KATAKANA

__all__ = ["keeps_meaning", "paraphrases"]

_LONGEST: Final = 4_000
_CODE = re.compile(r"\b(?=\w*\d)[\w][\w./:-]{2,}\b|\S+@\S+|https?://\S+")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][\w'’-]+")
_QUOTED = re.compile(r"[“\"「『]([^”\"」』]{1,80})[”\"」』]")
_WHEN = re.compile(
    r"\b(?:today|tomorrow|yesterday|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february"
    r"|march|april|june|july|august|september|october|november|december|before|after|without|only|all|any|never|always"
    r"|more|less|adult|child|children|infant)\b",
    re.IGNORECASE,
)

# Interchangeable words in a customer's question. The second kind works in one direction only: "buy" can become
# "purchase", but "get" or "need" often does not mean "obtain" or "require".
_EITHER: Final = (
    ("booking", "reservation"),
    ("bookings", "reservations"),
    ("baggage", "luggage"),
    ("permitted", "allowed"),
    ("parcel", "package"),
    ("mobile phone", "cell phone"),
    ("get my money back", "get a refund"),
    ("would like to", "want to"),
    ("have to", "need to"),
)
_ONE_WAY: Final = (("purchase", "buy"), ("obtain", "get"), ("assist", "help"), ("modify", "change"))
_SWAPS: Final = (*_EITHER, *((there, here) for here, there in _EITHER), *_ONE_WAY)
_SHORT: Final = (
    (r"\bwhat['’]s\b", "what is"),
    (r"\bwhere['’]s\b", "where is"),
    (r"\bwhen['’]s\b", "when is"),
    (r"\bhow['’]s\b", "how is"),
    (r"\bi['’]m\b", "I am"),
    (r"\bi['’]d\b", "I would"),
    (r"\bi['’]ve\b", "I have"),
    (r"\bthere['’]s\b", "there is"),
)
_PRONOUN = r"(i|we|you|they|he|she|it)"
_THING = r"((?:the|my|our|your|this|a|an) (?:[\w'’-]+ ?){1,4}?)"
_VERB = (
    r"(leave|arrive|start|begin|end|cost|take|last|open|close|depart|run|go|include|cover|work|expire|need|have|ship"
    r"|deliver|charge|offer|accept|require|allow|stop|return|weigh|contain)"
)
_BE = r"(is|are|was|were)"
_ASKING = r"(what|where|when|who|which \w+|how (?:much|many|long|far|late|early|often)|why|how)"

# Patterns of the whole question and their rewordings, tried in this order.
_FORMS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (r"how much (?:does|do) (.+?) cost", (r"what is the price of \1", r"what do I pay for \1")),
    (
        r"how much (?:is|are) ((?:the|a|an|my|your|one|two) [^,]+)",
        (r"what is the price of \1", r"what do I pay for \1"),
    ),
    (r"what(?: is|'s|’s) the (?:price|cost) of (.+)", (r"how much is \1", r"what do I pay for \1")),
    (
        r"(?:can|could|may) i (.+)",
        (r"is it possible for me to \1", r"am I able to \1", r"I'd like to know whether I can \1"),
    ),
    (r"(?:can|could|may) we (.+)", (r"is it possible for us to \1", r"are we able to \1")),
    (r"am i (?:able|allowed) to (.+)", (r"can I \1", r"is it possible for me to \1")),
    (r"is it possible (?:for me )?to (.+)", (r"can I \1", r"am I able to \1")),
    (r"how (?:do|can|could) i (.+)", (r"what do I have to do to \1", r"could you tell me how to \1")),
    (r"do i (?:need|have) to (.+)", (r"is it necessary for me to \1", r"I'd like to know whether I have to \1")),
    (r"do (i|we|you|they) (.+)", (r"I'd like to know whether \1 \2", r"could you tell me if \1 \2")),
    (rf"will {_PRONOUN} (.+)", (r"I'd like to know whether \1 will \2", r"could you tell me if \1 will \2")),
    (rf"{_ASKING} (?:do|does) {_PRONOUN} (\w+)((?: .+)?)", ("<does>",)),
    (rf"{_ASKING} (?:do|does) {_THING} {_VERB}((?: .+)?)", ("<does>",)),
    (rf"(?:do|does) {_THING} {_VERB}((?: .+)?)", ("<whether>",)),
    (rf"{_ASKING} (can|could|will|would|should|must) {_PRONOUN} (.+)", (r"could you tell me \1 \3 \2 \4", "<know>")),
    (
        rf"(what|where|when|who|how) {_BE} ((?:the|my|your|our|a|an) (?:(?!\b(?:if|when|that|because)\b)[^,])+)",
        ("<is>",),
    ),
    (
        r"(?:could|can|would) you (?:please )?(?:tell me|let me know) (.+)",
        (r"I'd like to know \1", r"please tell me \1"),
    ),
    (r"i(?:'d| would|’d) like to know (.+)", (r"could you tell me \1", r"please tell me \1")),
    (r"(?:please )?tell me (.+)", (r"could you let me know \1", r"I'd like to know \1")),
)
_COMPILED = tuple((re.compile(rf"^{form}$", re.IGNORECASE | re.DOTALL), ways) for form, ways in _FORMS)
_OPENING = re.compile(
    r"^((?:(?:hi|hello|hey|ok(?:ay)?|so|and|but|also|well|thanks|thank you|please)\b[\s,.!:]*)+)", re.I
)
_ENGLISH = re.compile(r"[A-Za-z]{2}")

_JAPANESE: Final = (
    (r"(?<=[っんいりみえけしち])(?:て|で)もいいですか", "ても構いませんか"),
    (r"することはできますか", "することは可能ですか"),
    (rf"(?<=[{HAN}{KATAKANA}])できますか", "することは可能でしょうか"),
    (r"を教えてください", "はどうなっていますか"),
    (r"教えてください", "教えていただけますか"),
    (r"いくらですか", "料金はどのくらいですか"),
    (r"いつまでですか", "期限はいつですか"),
    (r"どこですか", "場所を教えていただけますか"),
    (r"必要ですか", "必要になりますか"),
    (r"ありますか", "ございますか"),
    (r"ですか", "でしょうか"),
    (r"たいのですが", "たいと思っています"),
)


def paraphrases(question: str, *, most: int = 3) -> list[str]:
    """Return up to ``most`` paraphrases of the question; empty if no rule fits.

    Text before the last question is kept. Each paraphrase keeps the names, numbers, codes and negations.
    """
    text = question.strip()
    if not text or len(text) > _LONGEST:
        return []
    lead, asked = _last_question(text)
    made = _japanese(asked) if not asked.isascii() and not _ENGLISH.search(asked) else _english(asked)
    found: list[str] = []
    for way in made:
        whole = f"{lead}{way}"
        if _folded(whole) != _folded(text) and whole not in found and keeps_meaning(text, whole):
            found.append(whole)
        if len(found) >= most:
            break
    return found


def keeps_meaning(question: str, other: str) -> bool:
    """Whether another wording keeps numbers, names, codes, quotations and negations, and is still a question."""
    if not other.strip() or negated(question) != negated(other):
        return False
    if _figures(question) != _figures(other) or _fixed(question) != _fixed(other):
        return False
    # Limits and conditions determine the answer.
    return sorted(_WHEN.findall(question.lower())) == sorted(_WHEN.findall(other.lower()))


def _last_question(text: str) -> tuple[str, str]:
    """Return the text before the last question, and that question; the whole text if none is marked."""
    questions = [each.text for each in statements(text) if each.kind == "question"]
    at = text.rfind(questions[-1]) if questions else -1
    if at < 0 or text[at + len(questions[-1]) :].strip():
        return "", text
    return text[:at], text[at:]


def _english(asked: str) -> Iterator[str]:
    bare = asked.rstrip(" ?!.")
    opening = match.group() if (match := _OPENING.match(bare)) else ""
    for short, long in _SHORT:
        bare = re.sub(short, long, bare, flags=re.IGNORECASE)
    core = _small(bare[len(opening) :] if bare.startswith(opening) else bare)
    for pattern, ways in _COMPILED:
        if match := pattern.match(core):
            for way in ways:
                yield from (_sentence(_swapped(said)) for said in _said(match, way))
    if (swapped := _swapped(core)) != core:
        yield _sentence(swapped)
    # A frame around the same words is the smallest change.
    if core.lower().startswith(("what ", "where ", "when ", "how ", "who ", "which ", "is ", "are ", "does ", "did ")):
        yield f"I have a question: {core}?"
        yield f"Just so that I get it right: {core}?"


def _said(match: re.Match[str], way: str) -> Iterator[str]:
    if way == "<does>":
        asking, who, verb, rest = match.groups()
        yield f"could you tell me {asking} {who} {_agreeing(who, verb)}{rest}"
        yield f"I'd like to know {asking} {who} {_agreeing(who, verb)}{rest}"
    elif way == "<whether>":
        who, verb, rest = match.groups()
        yield f"I'd like to know whether {who} {_agreeing(who, verb)}{rest}"
        yield f"could you tell me if {who} {_agreeing(who, verb)}{rest}"
    elif way == "<is>":
        asking, verb, what = match.groups()
        yield f"could you tell me {asking} {what} {verb}"
        yield f"I'd like to know {asking} {what} {verb}"
    elif way == "<know>":
        yield match.expand(r"I'd like to know \1 \3 \2 \4")
    else:
        yield match.expand(way)


def _agreeing(who: str, verb: str) -> str:
    many = who.lower() in ("i", "we", "you", "they") or who.lower().endswith("s")
    return verb if many else _third(verb)


def _third(verb: str) -> str:
    """Return the third person singular of the verb."""
    special = {"have": "has", "do": "does", "go": "goes", "be": "is"}
    if verb.lower() in special:
        return special[verb.lower()]
    if re.search(r"(?:s|x|z|ch|sh)$", verb):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if re.search(r"[^aeiou]y$", verb) else f"{verb}s"


def _swapped(text: str) -> str:
    """Replace interchangeable words, each once."""
    pattern = re.compile(rf"\b(?:{'|'.join(re.escape(here) for here, _ in _SWAPS)})\b", re.IGNORECASE)
    others = dict(_SWAPS)
    return pattern.sub(lambda match: _cased(others[match.group().lower()], match.group()), text)


def _cased(word: str, like: str) -> str:
    return word[:1].upper() + word[1:] if like[:1].isupper() else word


def _sentence(text: str) -> str:
    asks = not text.lower().startswith(("i'd like", "i would like", "i want", "please "))
    first = re.sub(r"\bi\b(?!['’.])", "I", text[:1].upper() + text[1:])
    return f"{first}{'?' if asks else '.'}"


def _small(text: str) -> str:
    return text[:1].lower() + text[1:] if not text.startswith(("I ", "I'")) else text


def _japanese(asked: str) -> Iterator[str]:
    for form, way in _JAPANESE:
        changed = re.sub(form, way, asked, count=1)
        if changed != asked:
            yield changed
    if re.search(r"か[。?？]?\s*$", asked):
        yield f"念のため確認ですが、{asked}"


def _folded(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().casefold()


def _figures(text: str) -> list[str]:
    return sorted(f"{each.value}-{each.high} {each.unit}" for each in find_quantities(text))


def _fixed(text: str) -> list[str]:
    """Return codes, addresses, names inside a sentence, and quotations."""
    codes = [each.rstrip(".,?!") for each in _CODE.findall(text)]
    names = [each for each in _NAME.findall(text) if each not in ("I", "I'd", "I'm", "I've", "I’d", "Could", "Please")]
    return sorted({each.casefold() for each in (*codes, *names, *_QUOTED.findall(text))})
