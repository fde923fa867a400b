"""Which sentences of a prompt ask something of the answer, by their place and their words, in any language."""

from __future__ import annotations

import re
from typing import Final

from proctor.generate.extract.asked_amounts import find_amounts
from proctor.generate.extract.commands import CHARGE, is_command, without_opening
from proctor.generate.extract.conditions import PERMISSION, is_conditional, is_permitted, split_condition
from proctor.generate.extract.described_fields import bounded_count
from proctor.generate.extract.limit_subject import names_answer
from proctor.generate.extract.prompt_scope import PromptScope
from proctor.generate.extract.quantity_words import NEGATION
from proctor.generate.extract.quoted_literals import END, START
from proctor.generate.extract.reply_words import ONLY, REPLY
from proctor.generate.extract.sections import section_of
from proctor.generate.extract.statements import ASIDE_SECTIONS, Statement
from proctor.generate.extract.tongues import TONGUES
from proctor.generate.extract.verbs import COMMANDS, THINKING, base_form
from proctor.text.lazy_pattern import Lazy

__all__ = [
    "about_input",
    "is_about_else",
    "is_lead",
    "is_request",
    "is_role",
    "is_thanks",
    "persona_of",
    "plain",
]

_BOUND: Final = Lazy(
    r"\b(?:must|should|shall|only|nothing else|always|has to|have to|"
    r"needs? to|never|required|forbidden|allowed|permitted|"
    r"muss|"
    r"musst|müssen|soll\w*|darf|dürfen|immer|nur|stets|erlaubt|zulässig\w*|doit|doivent|toujours|uniquement|"
    r"seulement|il faut|autorisé\w*|debe\w*|siempre|solo|sólo|únicamente|hay que|tiene que|permitid\w*|"
    r"deve(?:m|rá|rão|ria|rebbe)?|"
    r"sempre|apenas|somente|só|devono|soltanto|bisogna|ammess\w*|va(?:nno)? \w+t[aeio]|se \w+(?:rá|rán)|moet\w*|mag|"
    r"mogen|altijd|alleen|toegestaan|dient|должн\w*|нужно|всегда|только|musi\w*|powinn\w*|zawsze|tylko|meli|malı|ska|"
    r"måste|alltid|endast|bara|skal|vždy|pouze|jen)\b|必须|务必|只能|只(?=回|答|输|写|用|做|谈)|仅|应当|应该|始终|须|"
    r"必ず|のみ|だけ|つまで|ください|こと[。．]?$|(?<![がはにも]い)(?<!あり)ます[。．]?$",
    re.IGNORECASE,
)
_SECOND_PERSON: Final = Lazy(
    r"\b(?:you|your|du|dir|dich|dein\w*|tu|te|toi|ton|ta|vous|votre|vos|tú|ti|usted|você|lei|tuo|tua|je|jij|jouw|"
    r"u|uw|ты|вы|twój|sen|siz)\b|你|您",
    re.IGNORECASE,
)
_WE: Final = Lazy(
    r"\b(?:we|our|wir|unser\w*|nous|notre|nosotros|nuestr\w+|nós|noss\w+|noi|nostr\w+|wij|onze?)\b|\b\w{3,}(?:amos|"
    r"emos|imos|iamo)\b|我们|私たち|当社|弊社",
    re.IGNORECASE,
)
_THANKS: Final = Lazy(
    r"\W*(?:thank(?:s| you)|danke|vielen dank|merci|gracias|obrigad[oa]|grazie|dank je|bedankt|спасибо|谢谢|ありがとう|"
    r"let['’]?s (?:play|go|start|begin|think)|hello|hi|hallo|bonjour|hola|olá|ciao|good luck|viel erfolg|bonne chance|"
    r"no exceptions?|take a (?:deep )?breath|take a step back)\b[^.]{0,90}\W*$",
    re.IGNORECASE,
)
_LEAD_IN: Final = Lazy(
    r"(?:keep|bear) (?:the following|these|this) in mind|\b(?:follow(?:ing)?|these|below)\b[^.]{0,30}$|"
    r"\bin mind$|(?:beachte|bitte beachten|merke)[^.]{0,30}$",
    re.IGNORECASE,
)
# It leads to what is listed below it, and asks nothing itself.
_POINTS_ON: Final = Lazy(
    r"\b(?:these|following|below|diese[nrms]?|folgend\w*|ces|suivant\w*|ci-dessous|estas?|estos|siguientes?|"
    r"est[ae]s|seguintes?|quest[eio]|seguent[ei]|deze|volgende)\b|以下|如下|次の",
    re.IGNORECASE,
)
# What usually is so: a description, unless something in it binds.
_HABITUAL: Final = Lazy(
    r"\b(?:sometimes|often|usually|typically|manchmal|oft|meistens?|parfois|souvent|a veces|a menudo|às vezes|muitas "
    r"vezes|a volte|spesso|soms|vaak|иногда|часто|czasem|często|ibland|ofta)\b|有时|常常|ときどき|よく",
    re.IGNORECASE,
)
_ROLE: Final = Lazy(
    r"\W*(?:you(?:'re|’re| are| will be| will act| (?:will )?play)\b|(?:i want you to )?act(?:ing)? as\b|imagine "
    r"(?:that )?you\b|i want you to act\b|pretend\b|assume the role|as an?\b|play the role|this is\b|here (?:is|"
    r"are)\b|i am\b|i'm\b|we are\b|my \w+(?: \w+)? is\b|your name is\b|suppose\b)|(?:あなた|君|"
    r"당신)은?は?.{0,60}(?:です|である|입니다)[。．.]?$",
    re.IGNORECASE,
)
_NAMED: Final = Lazy(
    r"\b(?:you are|you play|you're|your name is|du bist|dein name ist|tu es|eres|te llamas|você é|sei|je bent|act "
    r"as)\s+(?P<name>[A-ZÀ-Þ][a-zà-ÿ]{1,20})\b(?!\s+[A-Z][a-z]+ (?:engineer|expert|assistant))",
)
_INPUT: Final = Lazy(
    r"\W*(?:in this task,?\s+)?(?:you(?:'ll|’ll| will| are| may|'re)? (?:also )?(?:be )?(?:given|provided|presented|"
    r"shown|receive|receiving|get|see|supplied|asked a)\b|(?:the |a |each |our )?(?:users?|customers?|input|human|"
    r"client|student|reader|employee|patient|following)(?:'s|’s|s’)?\s+(?:[\w-]+\s+)?(?:will|is|are|may|might|can|"
    r"could|provides?|asks?|gives?|sends?|contains?|consists?|has|have|enters?|writes?|speaks?|wants?|needs?|says?|"
    r"submits?|read)\b(?!\s+be (?:told|asked|greeted))|(?:input|context|text|question|query|user input)\b[^.]{0,20}:|"
    r"the (?:user'?s? |input |given |following |provided )?(?:text|document|article|input|review|email|message|"
    r"question|context|passage|code|abstract|data|transcript|sentence|paragraph|conversation|ticket|diff|recipe|"
    r"essay|contract|clause|query|request|report|list|table|image|story|resume|description)s? (?:is|are|will|may|can|"
    r"contains?|consists?|below|above|comes?|was|follows?|has|might|between)\b|given (?:a|an|the|some|two|this|"
    r"that)\b[^,]*$|below (?:is|are)\b|here(?:'s| is| are)\b|(?:when i\b[^,]*, )?i (?:will|am|have|'ll)\b|when i "
    r"(?:need|want)\b)",
    re.IGNORECASE,
)
_OCCASION: Final = Lazy(
    r"\W*(?:given|based on|using|from|with|for|in|as|after|before|by|once|to|on|depending on|according to|"
    r"during|at|per|when|while|"
    r"if|whenever|unless|within|through|without|below|above|under|inside|instead of)\b[^,:]{2,120}[,:]\s*(?=\S)",
    re.IGNORECASE,
)
# What is said of a part of the output, of values in it, or as a limit, without a command.
_PART: Final = Lazy(
    r"\W*(?:(?:each|every|all|no|the (?:first|second|third|last|final|opening|closing)(?: and the \w+)?|first|last|a|"
    r"an)\s+(?:of the\s+)?(?:\w+\s+)?(?:entry|entries|item|bullet|line|sentence|paragraph|section|point|question|"
    r"field|value|name|key|step|word|heading|title|label|tag|stanza|slide|row|column|verse|chapter|option|summary|"
    r"comment|card|clue)s?\s+(?:is|are|has|have|begins?|starts?|ends?|contains?|includes?|uses?|gets?|consists?|"
    r"follows?|does|do|at most|\()\b|(?:the |your |each |every |all )*(?:outputs?|responses?|repl(?:y|ies)|results?|"
    r"answers?|messages?|titles?|summar(?:y|ies))\s+(?:is|are|has|have|contains?|includes?|starts?|ends?|consists?|"
    r"begins?)\b|(?:all )?(?:dates|times|prices|amounts|quantities|units|numbers|names|titles)\s+(?:are|have|use|in|"
    r"with)\b|none(?: of)?\b|(?:no|at most|at least|maximum|max|minimum|min|exactly|between|under|up to|without|not|"
    r"less than|fewer than|more than|one (?:to|or|[a-z]+ (?:per|at))|\d+ (?:to|or|words|characters|sentences))\b)",
    re.IGNORECASE,
)
# ``You are a pirate who speaks in rhymes``
_SPEAKS_LIKE: Final = Lazy(
    r"\b(?:who|that|which)\s+(?:only |always )?(?:speaks?|talks?|writes?|answers?|responds?|sounds?)\b", re.IGNORECASE
)
# People and things outside the answer: what they must do is no rule for it.
_OUTSIDE: Final = Lazy(
    r"\W*(?:the |our |all |each |every |any )?(?:\w+ )?(?:customers?|users?|employees?|members?|clients?|patients?|"
    r"guests?|orders?|refunds?|products?|students?|drivers?|tenants?|buyers?|visitors?|deliver(?:y|ies)|returns?|"
    r"company|we|they|people)\s+(?:must|can|cannot|may|are|is|have|has|need|should|will)\b(?!\s+be (?:told|asked|"
    r"greeted|addressed))",
    re.IGNORECASE,
)
_DESCRIBES: Final = Lazy(r"\W*(?:you(?!'ll| will)\s|your \w+ is (?:an?|the)\b)", re.IGNORECASE)
# ``Review: {{review}}``, ``Dzisiaj jest {{date}}.``: a line that introduces an input.
_INTRODUCED: Final = re.compile(
    r"[^.!?。！？]{0,60}[:：]\s*\W*\{\{|(?:[^\s.!?]+\s+){0,3}\W*\{\{[^{}]*\}\}\W*$|\{\{[^{}]*\}\}\s+\S+\s*[:：]\s*\{\{"
)
_ENDS_IN_VERB: Final = Lazy(
    r"[るくすうむぶぐつ][。．]?$|ない[。．]?$|ます[。．]?$|禁止[。．]?$|다[.。]?$|시오[.。]?$|세요[.。]?$"
)
# ``people who don't read it twice``, ``but that doesn't matter``
_OF_THIRD: Final = Lazy(r"\b(?:who|whose|which|(?<=\bbut )that|(?<=\band )that)\b[^,.;:]*", re.IGNORECASE)
# Words of one language that are negations in another: the Portuguese ``no``, the German month.
_NO_NEGATION: Final = {"pt": "no", "de": "mai"}
_CLAUSE_START: Final = re.compile(
    r"(?:^|[,;:.，；：。、–—]\s*|\b(?:please|bitte|but|aber|pero|mais|mas|ma)\s+)[\"*]?$", re.I
)
_TOLD: Final = Lazy(
    r"\W*(?:the|an?|some|many|most|they|it|he|she|there|our|their|this|that|these|those|nobody|people|readers?|"
    r"students|customers|users)\b",
    re.IGNORECASE,
)
_RULED: Final = ("rules", "output", "format", "never")
# ``議事録は部長が読みます。``: in the opening, a polite verb tells something.
_POLITE: Final = re.compile(r"^(?!.*(?:必ず|のみ|だけ|ください|こと[。．]?$)).*ます[。．]?$")
_QUOTES: Final = re.compile(r"[\"“„«「`]")
_MOST_NAMED: Final = 2  # labels in a sentence that says what one of them is; with more, it lists them
_LONG_LEAD: Final = 8  # words of one that has neither a number, nor a negation, nor a quotation
_SHORT_LEAD: Final = 4  # words
_SHORT_POINTER: Final = 20  # characters of a sentence that points on without a colon: ``次の形で出力してください。``
_SHAPE_NOUN: Final = re.compile(r"形|フォーマット|通り|とおり|格式|format|steps?\b|rules?\b", re.IGNORECASE)
_SHORTEST: Final = 4  # characters of a sentence


def plain(text: str) -> str:
    """Return the text on one line, without emphasis marks."""
    pieces = re.split(r"(`[^`\n]*`|\"[^\"\n]*\"|«[^»\n]*»)", text)  # what is quoted stays as it is
    text = "".join(
        piece if at % 2 else re.sub(r"\*\*|__|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)", "", piece)
        for at, piece in enumerate(pieces)
    )
    return re.sub(r"\s+", " ", text).strip(" \t-–•,;")


def about_input(text: str) -> bool:
    """Whether an English sentence describes the input."""
    text = without_opening(plain(text))
    asked = r"\byour (?:answer|response|output|reply)\b|\b(?:and|then) you(?:'ll| will| should| must| are to)\s+(?!be )"
    return bool(_INPUT.match(text)) and not re.search(asked, text, re.IGNORECASE)


def is_thanks(text: str) -> bool:
    """Whether a sentence is a greeting or the like."""
    return _THANKS.match(plain(text)) is not None


def is_role(text: str, code: str) -> bool:
    """Whether a sentence says who the model is."""
    tongue = TONGUES.get(code)
    return _ROLE.match(text) is not None or (tongue is not None and tongue.role.match(text) is not None)


def is_lead(text: str) -> bool:
    """Whether a sentence only introduces what is below it."""
    text = text.rstrip(" *_")
    if (
        _POINTS_ON.search(text)
        and _SHAPE_NOUN.search(text)
        and len(text) <= _SHORT_POINTER
        and not re.search(r"\d|[\"“„«「`(（]", text)
    ):
        return True
    asks = re.search(rf"{NEGATION}|[\"“„«`]", text, re.IGNORECASE) or bounded_count(text)
    short = len(text.split()) <= _SHORT_LEAD or (len(text.split()) <= _LONG_LEAD and not asks)
    return text.endswith((":", "：")) and (short or _POINTS_ON.search(text) is not None or not _BOUND.search(text))


def persona_of(text: str) -> str:
    """Return the name that a prompt gives the model; nothing if it gives none."""
    found = _NAMED.search(text)
    return found["name"] if found else ""


def is_request(statement: Statement, scope: PromptScope, opening: frozenset[int]) -> bool:
    """Whether a sentence asks something of the answer; ``opening`` are the offsets of those that say the purpose."""
    text = plain(statement.text)
    if len(text) < _SHORTEST or text.startswith("|") or is_thanks(text):
        return False
    if text.endswith(("?", "？")) and not (
        is_conditional(text) and re.search(rf"(?:{ONLY}|{REPLY})[^:：]*[:：]", text)
    ):
        return False  # it asks, and gives no question as the reply of a case
    if is_lead(text) or _LEAD_IN.search(text) or is_about_else(text, scope):
        return False
    negated = _is_negated(statement, text, scope, opening)
    told = statement.start in opening and scope.language == "ja" and _POLITE.search(text)
    counted = bounded_count(text) != "" or next(find_amounts(text, scope.language), None) is not None
    bound = (_BOUND.search(text) is not None and not told) or negated or counted
    if is_role(text, scope.language):
        spoken = _BOUND.search(text) or _SPEAKS_LIKE.search(text)
        return spoken is not None or (negated and scope.language in ("", "en"))
    if _HABITUAL.search(text) and not bound:
        return False
    if statement.item and statement.opens and _is_placed(statement, scope):
        return True
    if scope.language in ("", "en"):
        limited = statement.item and bounded_count(text) != ""
        binds = _BOUND.search(_OF_THIRD.sub(" ", text)) is not None or negated or limited
        described = statement.start in opening and not binds and _DESCRIBES.match(text) is not None
        return not described and not _OUTSIDE.match(text) and _is_english_request(text, scope, bound=binds)
    return _is_foreign_request(statement, text, scope, opening, bound=bound)


def _is_negated(statement: Statement, text: str, scope: PromptScope, opening: frozenset[int]) -> bool:
    """Whether a negation binds a sentence.

    In the opening it begins a clause, as in a command, or the sentence speaks to the model: the others tell of the
    world. In English, none does in a relative clause.
    """
    denied = [
        match
        for match in re.finditer(NEGATION, text, re.IGNORECASE)
        if match.group().lower() != _NO_NEGATION.get(scope.language)
    ]
    english = scope.language in ("", "en")
    if statement.start in opening and not statement.item:
        if not english and TONGUES.get(scope.language) is None and not _SECOND_PERSON.search(text):
            denied = [match for match in denied if not re.search(r"[,，、]", text[: match.start()])]
            return bool(denied) and not _WE.match(text)
        spoken = re.search(r"\byou\b", text, re.IGNORECASE) if english else _SECOND_PERSON.search(text)
        begun = any(_CLAUSE_START.search(text[: match.start()]) for match in denied)
        return begun or bool(denied and spoken and not _TOLD.match(text))
    if english and not statement.item:
        return re.search(NEGATION, _OF_THIRD.sub(" ", text), re.IGNORECASE) is not None
    return bool(denied)


def is_about_else(text: str, scope: PromptScope) -> bool:
    """Whether a sentence is about the input, introduces it, is background, permits something, or is to be thought."""
    if _INTRODUCED.match(text) or _is_background(text) or is_thanks(text):
        return True
    if scope.language in ("", "en") and (word := re.match(r"\W*([A-Za-z]+)\b", text)) and word[1].lower() in THINKING:
        return not any(map(is_command, re.split(r",?\s+(?:and|but|then)\s+", text)[1:]))
    tongue = TONGUES.get(scope.language)
    if tongue is not None:
        return tongue.given.match(text) is not None or is_permitted(text)
    return (scope.language in ("", "en") and about_input(text)) or PERMISSION.match(text) is not None


def _is_background(text: str) -> bool:
    """Whether a label before a sentence says that it is background: ``For context: …``, ``Hintergrund: …``."""
    label = re.match(r"\W*(?:for |zur |pour |para )?(?P<label>[^\W\d_][^:：]{1,20})[:：]\s", text, re.IGNORECASE)
    return label is not None and section_of(label["label"]) in ASIDE_SECTIONS


def _is_placed(statement: Statement, scope: PromptScope) -> bool:
    """Whether an item stands where rules stand: under such a heading, or under a line that leads to it."""
    tongue = TONGUES.get(scope.language)
    given = tongue is not None and tongue.given.match(statement.lead) is not None
    led = statement.lead.rstrip("*_ ").endswith((":", "：")) and not given
    return statement.section in (*_RULED, "include") or led


def _is_english_request(text: str, scope: PromptScope, *, bound: bool) -> bool:
    bare = without_opening(text)
    if occasion := _OCCASION.match(bare):
        rest = without_opening(bare[occasion.end() :])
        if is_command(rest) or _PART.match(rest) or CHARGE.match(rest) or is_conditional(text):
            return True
    label = re.match(r"\W*(?P<label>[A-Za-z][^:.]{1,24}):\s", text)
    if (
        is_command(bare)
        or _PART.match(bare)
        or (label and (section_of(label["label"]) in _RULED or is_command(text[label.end() :])))
    ):
        return True
    if charge := CHARGE.match(bare):
        return is_command(bare[charge.end() :], sure=charge.group().strip().lower() != "you")
    if scope.persona and (
        said := re.match(rf"(?:{re.escape(scope.persona)}|she|he|it)\s+(?P<verb>[a-z]+)\b", bare, re.IGNORECASE)
    ):
        return bound or is_conditional(text) or base_form(said["verb"]) in COMMANDS - THINKING
    if any(is_conditional(piece) and is_command(split_condition(piece)[1]) for piece in text.split("; ")[1:]):
        return True  # ``We answer with yes or no; if I write anything else, just send …``
    if _QUOTES.search(text) and (START.search(text) or END.search(text)) and names_answer(text, ()):
        return True  # ``the letter opens with "Dear …"``
    names = [name for name in (*scope.fields, *scope.labels) if len(name) > 1]
    named = sum(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None for name in names)
    if _WE.match(text) and not _SECOND_PERSON.search(text):
        return False  # what a company does, or does not do
    return bound or (0 < named <= _MOST_NAMED and " " in text and _is_definition(text))


def _is_definition(text: str) -> bool:
    """Whether a sentence says what something is or gets: ``Fever is EMERGENCY``, ``RED means pain``."""
    past = re.search(r"\b(?:was|were|has happened|had)\b", text)
    return not past and re.search(r"\b(?:is|are|be|gets?|means?|becomes?|counts? as|goes? to)\b|[=→]", text) is not None


def _is_foreign_request(
    statement: Statement, text: str, scope: PromptScope, opening: frozenset[int], *, bound: bool
) -> bool:
    tongue = TONGUES.get(scope.language)
    conditional = is_conditional(text)
    if statement.start in opening and not bound:
        return tongue is not None and not statement.item and _commands(text, tongue.opening, tongue.openers)
    if statement.item:
        return (
            bound
            or conditional
            or tongue is None
            or _ENDS_IN_VERB.search(text) is not None
            or _commands(text, tongue.opening, tongue.openers)
        )
    if _WE.search(text) and not _SECOND_PERSON.search(text) and not _BOUND.search(text):
        return False
    if (
        tongue is None
    ):  # no words of this language are known, so a sentence is a rule by its place: none closes the prompt
        return bound or conditional or not statement.last or _QUOTES.search(text) is not None
    return (
        bound
        or conditional
        or _SECOND_PERSON.search(text) is not None
        or any(_commands(piece, tongue.opening, tongue.openers) for piece in re.split(r"[;:]\s+", text))
        or (_QUOTES.search(text) is not None and (START.search(text) or END.search(text)) is not None)
    )


def _commands(text: str, opening: Lazy, openers: frozenset[str]) -> bool:
    label = re.match(r"[^\s:：]{2,30}(?: [^\s:：]{1,20}){0,3}\s*[:：]\s+(?=\w)", text)
    bare = text[label.end() :] if label else text
    word = re.match(r"\W*([^\W\d_]+(?:['’-][^\W\d_]+)*)", bare)
    return word is not None and word[1].lower() not in openers and opening.match(bare) is not None
