"""Reword a clause of a prompt as a sentence about the output, if it requires anything of it."""

from __future__ import annotations

import re
from typing import Final

from proctor.generate.extract.sentence_roles import (
    CHARGE,
    ENSURE,
    INPUT,
    NEGATIVE_CHARGE,
    OCCASION,
    OPENING,
    PERMISSION,
    ROLE,
    ROLE_DOES,
    ROLE_TASKED,
)
from proctor.generate.extract.verbs import (
    COMMANDS,
    GIVING,
    OFTEN_NOUNS,
    THINKING,
    base_form,
    from_gerund,
    looks_like_command,
    third_person,
)
from proctor.generate.extract.vocabulary import worded
from proctor.text.lazy_pattern import Lazy

__all__ = ["about_input", "plain", "reworded"]

_OUTPUT_NOUN: Final = (
    r"(?:output|response|reply|result|completion|final output|generated text|responses|outputs|replies)"
)
_OUTPUT: Final = Lazy(
    r"\b(?:(?:all |any |each |every )?(?:of )?your\s+(?:final |entire |whole |full |generated |"
    rf"own )?(?:{_OUTPUT_NOUN}|answers?)|"
    rf"(?:the|each|every)\s+(?:final |entire |whole |full |generated )?{_OUTPUT_NOUN})\b",
    re.IGNORECASE,
)
_SUBJECT_OUTPUT: Final = Lazy(
    rf"(?:(?:all|any|each|every|the|your|final)\s+)*(?:{_OUTPUT_NOUN}|answers?)(?=\s+(?:\*\*)?(?:must|"
    r"should|shall|is|are|has|have|needs?|will|cannot|may|can|contains?|includes?|starts?|ends?|"
    r"consists?|does|do)\b)",
    re.IGNORECASE,
)
_MODAL: Final = Lazy(
    r"(?P<subject>[^,;:]{1,100}?)\s+(?P<modal>must|should|shall|has to|have to|needs? to|ought to|"
    r"is to|are to|will|cannot|can only|may only|may not|can not|can never|must only)"
    r"(?P<not>\s+(?:not|never))?(?P<adverb>(?:\s+(?:only|always|also|ideally|preferably|generally|"
    r"strictly|still|either|ever))*)\s+(?P<verb>[a-z]+)\b(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_COMMAND: Final = Lazy(
    r"(?P<adverb>(?:(?:always|only|never|do not|don[’']t|not|simply|just|briefly|clearly|carefully|"
    r"politely|strictly|directly|immediately|gently|explicitly|also|ever|kindly|"
    r"under no circumstances,?)\s+)*)"
    r"(?P<verb>[A-Za-z]+)\b(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_PART: Final = Lazy(
    r"(?:each|every|all|no|the (?:first|second|third|last|final|opening|"
    r"closing)(?: and the \w+)?)\s+(?:of the\s+)?(?:\w+\s+)?(?:entry|entries|item|items|bullet|"
    r"bullets|line|lines|sentence|sentences|paragraph|paragraphs|section|sections|point|points|"
    r"question|questions|field|"
    r"fields|value|values|name|names|key|keys|step|steps|word|words|heading|headings|title|titles|"
    r"label|labels|tag|tags|stanza|slide|slides|row|rows|column|columns|verse|chapter|option|options|"
    r"summary)\s+"
    r"(?:is|are|has|have|begins?|starts?|ends?|contains?|includes?|uses?|gets?|consists?|follows?|does|do)\b",
    re.IGNORECASE,
)
_VALUES: Final = Lazy(
    r"(?:all )?(?:dates|times|prices|amounts|quantities|units|numbers|names|titles)\s+(?:are|must|should|have|use)\b",
    re.IGNORECASE,
)
_AIM: Final = Lazy(r"\s+(?:(?:in order|and use it) )?to (?P<verb>[a-z]+)\b", re.IGNORECASE)
_NONE: Final = Lazy(
    r"none(?: of (?:them|the \w+|these))?\s+(?:is|are|has|have|may|must|should|[a-z]+s)\b", re.IGNORECASE
)
_PLAYED: Final = Lazy(r"as an? [^,.]{1,80},\s*(?=\w)", re.IGNORECASE)
_LIMIT: Final = Lazy(
    r"(?:no|only|at most|at least|maximum|max|minimum|min|exactly|between|under|up to|never|always|"
    r"without|not|less than|fewer than|more than|one [a-z]+ per)\b",
    re.IGNORECASE,
)
_PARTICIPLE: Final = Lazy(
    r"(?:written|formatted|sorted|ordered|limited|structured|signed|grouped|separated|wrapped|"
    r"enclosed|phrased|based|kept|presented|expressed|returned|rendered)\b",
    re.IGNORECASE,
)
_FOREIGN: Final = Lazy(
    r"\b(?:users?|customers?|inputs?|we|they|i|people|company|policy|orders?|account|students?|he|she|"
    r"who|which|system|database|payment|"
    r"products?|employees?|members?|clients?|patients?|visitors?|buyers?|guests?|drivers?|tenants?|"
    r"refunds?|shipping|deliver(?:y|ies)|returns?)\b",
    re.IGNORECASE,
)
_IS_FORM: Final = Lazy(
    r"(?:only|just|exactly|simply|nothing|either|one|a|an|the|in|as|with|using|valid|json|yes|true|no|"
    r"either|plain|raw|your|\d|[\"“`'\[{<])",
    re.IGNORECASE,
)
_QUESTIONS: Final = Lazy(
    r"(?:the|each|every|any|all|their|these|this|customer|user|to|questions?)\b[^.]*\b(?:questions?|"
    r"query|queries|message|user|customers?|request|inquir\w+|tickets?|emails?)\b|to\b|questions?\b|"
    r"based on\b|as if\b|from\b",
    re.IGNORECASE,
)
_HANDLED: Final = Lazy(
    r"\s+(?:parsed|read|used|shown|displayed|sent|checked|evaluated|graded|processed|published|printed|reviewed|rendered|"
    r"consumed|fed|judged|scored|compared|stored|tested)\b",
    re.IGNORECASE,
)
_STATIVE: Final = worded(
    "have know love like work live own want believe understand specialize specialise receive see hear"
    " feel excel possess strive"
)
_VACUOUS: Final = worded("do be have let get")


def plain(text: str) -> str:
    """Return the text on one line, without emphasis marks."""
    text = re.sub(r"\*\*|__|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)", "", text)
    return re.sub(r"\s+", " ", text).strip(" \t-–•,;")


def about_input(text: str) -> bool:
    """Whether a sentence describes the input."""
    text = _without_opening(plain(text))
    return bool(INPUT.match(text)) and not re.search(r"\byour (?:answer|response|output|reply)\b", text, re.IGNORECASE)


def reworded(clause: str, *, first: bool = True, barred: bool = False) -> str | None:
    """Reword the clause as a sentence about the output; None if it is about a role, an input or the world.

    ``barred`` is for an item under a line such as "Do not:", which is a command without its first words.
    """
    text = _without_opening(plain(clause).rstrip(".!:;。 "))
    if barred:
        bare = re.sub(r"^(?:do not|don[’']t|never|avoid|no)\s+", "", text, flags=re.IGNORECASE)
        word = bare.split(" ", 1)[0]
        verb = from_gerund(word) or word.lower()
        if verb in COMMANDS or looks_like_command(verb, bare.partition(" ")[2]):
            return _commanded(f"do not {verb}{bare[len(word) :]}", sure=True)
        return _closed(f"The output has no {_lowered(bare)}")
    if not text or PERMISSION.match(text):
        return None
    if NEGATIVE_CHARGE.match(text) or CHARGE.match(text):
        return _charged(text)
    return _told(text, first=first)


def _charged(text: str) -> str | None:
    """Reword ``You must …`` and ``Your task is to …``: what follows is a command, whatever its verb."""
    if negative := NEGATIVE_CHARGE.match(text):
        return _commanded("do not " + text[negative.end() :], sure=True)
    charge = CHARGE.match(text)
    if charge is None:
        return None
    rest = _without_opening(text[charge.end() :])
    word = rest.split(" ", 1)[0]
    if gerund := from_gerund(word):
        rest = gerund + rest[len(word) :]
    if re.match(
        r"(?:be (?:given|provided|presented|shown|asked|told|supplied|rewarded|paid|tested)|(?:see|"
        r"receive|get|find|act|play|pretend|behave|need|want|have access|be (?:an?|the)\b)\b)",
        rest,
    ):
        return None
    return _commanded(rest, sure=True)


def _told(text: str, *, first: bool) -> str | None:
    played = _PLAYED.match(text)
    if played and (told := _commanded(text[played.end() :])):
        return told
    if INPUT.match(text) or ROLE.match(text):
        return _from_role(text) if ROLE.match(text) and not INPUT.match(text) else None
    if ensure := ENSURE.match(text):
        return _stated(text[ensure.end() :], ensured=True)
    return _commanded(text) or _on_occasion(text) or _otherwise(text, first=first)


def _on_occasion(text: str) -> str | None:
    """Reword ``In your letter, thank them``: a place or time, then the command."""
    occasion = OCCASION.match(text)
    rest = _without_opening(text[occasion.end() :]) if occasion else ""
    told = (_charged(rest) or _commanded(rest) or _stated(rest, ensured=False)) if rest else None
    return f"{text[: len(text) - len(rest)].strip()} {told[:1].lower()}{told[1:]}" if told else None


def _otherwise(text: str, *, first: bool) -> str | None:
    if re.match(r"you\s+[a-z]+", text, re.IGNORECASE):
        return _you(text)
    word = text.split(" ", 1)[0]
    if not first and (gerund := from_gerund(word)):
        return _commanded(gerund + text[len(word) :], sure=True)
    return _stated(text, ensured=False)


def _without_opening(text: str) -> str:
    match = OPENING.match(text)
    rest = text[match.end() :] if match else text
    return rest if rest.strip() else text


def _you(text: str) -> str | None:
    word, _, rest = text.partition(" ")[2].partition(" ")
    verb = word.lower()
    if verb in ("only", "never", "always", "do", "don't", "cannot", "can", "don’t"):
        return _commanded(text.split(" ", 1)[1], sure=True)
    return _commanded(f"{verb} {rest}") if verb in COMMANDS and verb not in _STATIVE else None


def _from_role(text: str) -> str | None:
    """Reword what a role does; the role itself requires nothing of the output."""
    for pattern in (ROLE_TASKED, ROLE_DOES):
        for match in pattern.finditer(text):
            verb = match.group("verb").lower()
            rest = text[match.end("verb") :]
            root = from_gerund(verb) or base_form(verb)
            if root in COMMANDS and root not in _STATIVE and root not in THINKING:
                return _commanded(root + rest, sure=True)
    return None


def _commanded(text: str, *, sure: bool = False) -> str | None:
    """Reword ``Return only the tag`` as ``The output is only the tag``."""
    text = _without_opening(text)
    match = _COMMAND.match(text)
    if match is None:
        return None
    verb, rest = match.group("verb").lower(), match.group("rest")
    adverb = re.sub(r"\s+", " ", match.group("adverb").lower().replace("’", "'")).strip()
    denied = bool(re.search(r"\b(?:not|don't|never|no)\b", adverb))
    following = rest.strip().split(" ", 1)[0]
    begun = text[:1].isupper() and verb in COMMANDS - OFTEN_NOUNS and bool(re.match(r"[a-z]", following))
    if not sure and not begun and not looks_like_command(verb, following, adverb=adverb):
        return None
    if verb in THINKING and not denied and (aim := _AIM.search(rest)) and aim["verb"].lower() in COMMANDS - THINKING:
        return _commanded(rest[aim.start("verb") :], sure=True)
    if verb == "stop" and not rest.strip():
        return None
    if (verb in THINKING and not denied and not re.match(r"\s+the following \w+:\s*\w", rest)) or (
        verb in _VACUOUS - {"be"} and rest.strip().lower() in ("", "not", "this", "the following")
    ):
        return None
    if rest[:1] in (":", "/") or (not sure and re.match(r"\s+(?:is|are|was|must|should|will|can|may|shall)\b", rest)):
        return None  # a noun that is spelled like a command
    if ensure := ENSURE.match(f"{verb}{rest}"):
        return _stated(f"{verb}{rest}"[ensure.end() :], ensured=True)
    rest = _addressed(_OUTPUT.sub("the output", rest).strip())
    if verb in GIVING:
        rest = re.sub(r"^(?:me|us)\s+", "", rest)
    if verb in ("begin", "start", "end", "finish", "close", "open", "conclude"):
        rest = re.sub(r"^the output\s+(?=with\b|by\b|in\b)", "", rest)
    return _sentence(verb, adverb, rest, denied=denied)


def _addressed(text: str) -> str:
    """Change second-person wording to wording about the output; quoted text stays."""
    parts = re.split(r"(\"[^\"\n]*\"|“[^”\n]*”|`[^`\n]*`)", text)
    for number in range(0, len(parts), 2):
        said = re.sub(r"\bmy\b", "the user's", parts[number])
        said = re.sub(r"\b(?:to|for) me\b", lambda found: f"{found[0][:-2]}the user", said)
        parts[number] = re.sub(r"\byour(?= [a-z])", "the", said)
    return "".join(parts)


def _sentence(verb: str, adverb: str, rest: str, *, denied: bool) -> str:
    extra = " ".join(
        word for word in adverb.split() if word not in ("do", "not", "don't", "ever", "also", "kindly", "never")
    )
    lead = f" {extra}" if extra else ""
    if denied:
        if "never" in adverb:
            return _closed(f"The output never {third_person(verb)}{lead} {rest}")
        return _closed(
            f"The output is not{lead} {rest}" if verb == "be" else f"The output does not{lead} {verb} {rest}"
        )
    if made := _identity(verb, lead, rest):
        return _closed(made)
    if verb in ("keep", "limit", "restrict", "make") and (kept := re.match(r"(?:it|the output|them)\s+", rest)):
        rest = rest[kept.end() :]
        if (
            verb == "make"
            and rest.split(" ", 1)[0] in COMMANDS
            and rest.split(" ", 1)[0] not in ("short", "open", "close", "complete")
        ):
            word, _, tail = rest.partition(" ")
            return _closed(f"The output {third_person(word)} {tail}")
        return _closed(f"The output {'is limited' if verb in ('limit', 'restrict') else 'is'} {rest}")
    return _closed(f"The output{lead} {third_person(verb)} {rest}")


def _identity(verb: str, lead: str, rest: str) -> str | None:
    """Reword ``Return X`` as "the output is X"; but ``answer the question`` is something it does."""
    if verb not in GIVING:
        return None
    if match := re.match(r"(?P<only>only\s+|exactly\s+|just\s+)?with:?\s+", rest):
        return f"The output is{lead} {match.group('only') or ''}{rest[match.end() :]}"
    if verb in ("return", "output", "respond", "reply", "answer", "emit", "print"):
        rest = re.sub(r"^(?:it|them|everything|all of it|the output)\s+(?:as\b\s*|(?=in\b|on\b))", "", rest)
        if verb in ("respond", "reply", "answer") and (_QUESTIONS.match(rest) or not _IS_FORM.match(rest)):
            return None
        return f"The output is{lead} {rest}" if rest else "The output gives an answer"
    if re.match(r"the output\s+\w", rest):
        return f"The output is{lead} made {rest.removeprefix('the output ')}"
    if lead.strip() in ("only", "just") or re.match(r"(?:only|just|nothing but)\b", rest):
        return f"The output is{lead} {rest}"
    return None


def _stated(text: str, *, ensured: bool) -> str | None:
    """Reword ``Your answer should have three parts`` as ``The output has three parts``."""
    text = text.strip()
    if _SUBJECT_OUTPUT.match(text):
        text = _SUBJECT_OUTPUT.sub("the output", text, count=1)
    text = _OUTPUT.sub("the output", text)
    if re.match(r"(?:must|should|shall|cannot|may not|has to|needs to)\s", text, re.IGNORECASE):
        text = f"the output {_lowered(text)}"
    if match := _MODAL.match(text):
        return _bound(text, match, ensured=ensured)
    if whole := re.match(r"(?:the output|it)\b(?=\s+\w+)", text, re.IGNORECASE):
        said = re.sub(r"^\s*(are|have|do)\b", lambda found: f" {third_person(found[1])}", text[whole.end() :])
        return _closed(f"The output{said}") if ensured or whole.group().lower() != "it" else None
    if ensured or _PART.match(text) or _NONE.match(text) or _VALUES.match(text):
        return _closed(f"In the output, {_lowered(text)}")
    if _PARTICIPLE.match(text):
        return _closed(f"The output is {_lowered(text)}")
    if _LIMIT.match(text):
        return _closed(f"The output has {_lowered(text)}")
    return None


def _bound(text: str, match: re.Match[str], *, ensured: bool) -> str | None:
    """Reword a requirement on the output or on something in it, not on somebody or something outside."""
    subject = match.group("subject").strip()
    if re.fullmatch(r"(?:and |but )?(?:the output|it|everything|this)", subject, re.IGNORECASE):
        return _modal(match)
    outside = _FOREIGN.search(subject) or len(subject.split()) > 10 or match.group("modal").lower() == "will"
    if outside and not ensured:
        return None
    return _closed(f"In the output, {re.sub('^your ', 'the ', _lowered(text))}")


def _modal(match: re.Match[str]) -> str | None:
    verb, rest = match.group("verb").lower(), match.group("rest")
    adverb = re.sub(r"\s+", " ", match.group("adverb") or "").rstrip()
    modal = match.group("modal").lower()
    if modal == "will" and verb == "be" and _HANDLED.match(rest):
        return None  # about what is done with the output
    if "only" in modal:
        adverb = " only"
    if match.group("not") or modal in ("cannot", "may not", "can not", "can never"):
        return _closed(f"The output {'is not' if verb == 'be' else f'does not {verb}'}{adverb}{rest}")
    if verb == "be":
        return _closed(f"The output is{adverb}{rest}")
    return _closed(f"The output{adverb} {third_person(verb)}{rest}")


def _lowered(text: str) -> str:
    first = text.split(" ", 1)[0]
    return text if sum(map(str.isupper, first)) > 1 or first == "I" else text[:1].lower() + text[1:]


def _closed(text: str) -> str:
    text = re.sub(r"(?<! one)\s+of$", "", re.sub(r"\s+", " ", text).strip().rstrip(":;,. "))
    return text if re.search(r"[!?。][\"”'」]?$|\.[\"”'」]$", text) else text + "."
