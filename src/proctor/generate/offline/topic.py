"""Whether a prompt takes any text, or only texts of its own domain."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Final

from proctor.generate.extract.statements import statements_of
from proctor.generate.extract.tongues import tongue_of
from proctor.generate.extract.verbs import COMMANDS, base_form, from_gerund
from proctor.generate.extract.vocabulary import worded
from proctor.generate.spec import InputSpec
from proctor.prompts.prompt import Prompt, PromptMessage

__all__ = ["content_words", "domain_words", "takes_any_text"]

# Words about texts, answers and their form, which every prompt uses whatever it is for.
_TALK: Final = worded(
    """
    ability able above accordance according accuracy accurate accurately acronym active actual adjective adverb
    already alternative ambiguous answer any appropriate array article artistic aspect assistant author available
    average background basic below best better beginning bold brief briefly bullet bulleted capital case category
    change character characters clarity class clause clear clearly clean close comma common complete complex concise
    conclusion conjunction consistency consistent content context conversational conversion correct correctly
    creative cultural culture current data date default description detail details detailed different difficult
    digit direct document double draft each easy effective element else emphasis empty end engaging english enough
    entire error essay essential exact exactly example examples excerpt exclamation existing expert explanation
    expression extra fact facts factual false field final first flow fluency fluent focus following form formal
    format formatted formatting french full further general german given good grammar grammatical grammatically
    great group heading headline helpful high html human idea ideas idiom idiomatic illustration image important
    improvement impact impactful information informative input insight instruction integer intent interesting item
    japanese json key keys keyword kind knowledge label language large last length letter level line list literary
    logical long low lower lowercase main manner mark markdown markup match maximum meaning meaningful message
    minimum mistake mode model modern mood multiple name narrative native natural necessary negative neutral new
    next noun null number numbered object one opinion option order original other outline output overall page
    paragraph paraphrase part particular passage pattern people period person personal phrase piece place plain
    point polished position positive possible potential precise preposition present previous problem professional
    pronoun proper property prose provided punctuation purpose quality question quote quoted range readability
    readable reader reading reason relevant repetition reply request requested respective response result rhythm
    role rule same sample sarcastic scale schema score second section sentence sentiment separate sequence set short
    similar simple simplicity single size small smooth social solution sound source spanish speaker specific speech
    spelling standard start statement step story strong structure structured style subject suggestion suitable
    summary syntax table tag tags task teacher technique technical template tense term text texts theme thing third
    three title tone tool topic total tradition translation translator true two type typical unclear unique unit
    unknown unnecessary user valid value variable various verb verbose version view vivid vocabulary voice wide word
    wording words work world writer writing written wrong yes zero language-specific part-of-speech reader's user's
    text's assistant's linguist editor writer's artificial intelligence chatbot helper hello today now way lot aim
    goal job need needs effort best-effort paragraph's sentence's author's nuance nuances essence tweet blog post
    email article's news chat conversation user-provided abstract paper research poem joke haiku song lyric novel
    fiction dialogue scene quotation headline's readers audience children child funny free come performance priority
    extraction outside back get gap past individual prompt right rather whole prompts everyday cantanswer unable
    letters vowel consonant alphabet latin shakespearean thou hath dost poetry
    """
)
_GENERIC_NAMES: Final = re.compile(
    r"(?:input|user|source|original|full|raw|the|my|long|short)?_?(?:text|input|sentence|"
    r"paragraph|passage|article|document|content|story|essay|body|"
    r"string|word|phrase|headline|title|subject|question|query|prompt|topic|joke|pair|abstract|tweet|"
    r"post|paragraphs|sentences|texts|lines?|poem|idea|"
    r"statement|excerpt|blog|quote|term|context|theme|request|message|conversation)s?",
    re.IGNORECASE,
)
_COMMON: Final = worded(
    """
    the a an and or but if when while of in on at to for from with without by as is are was were be been being it
    its this that these those they them their there here you your yours i me my we us our he she his her who whom
    which what where why how not no nor only just also very too more most less least much many few some any all both
    either neither every such own so than then once again ever never always often may might must shall should can
    could will would do does did done have has had having up down out over under between into onto through during
    before after about against within toward towards per via etc else instead otherwise because since although
    though unless until whether please note remember ensure sure well even still yet like unlike
    """
)
_ROLE: Final = re.compile(
    r"\b(?:you are|you're|act as|acting as|your role is|you work (?:as|for)|you help|"
    r"you assist|you support|on behalf of)\s+"
    r"(?P<said>[^.\n;]{3,160})",
    re.IGNORECASE,
)
_OBJECT: Final = re.compile(
    r"\b(?:from|of|in|about|on|for|analy[sz]e|read|given|summari[sz]e|classify|extract|review|"
    r"rate|score|translate|rewrite)\s+"
    r"(?:the|this|these|that|a|an|each|following|given|provided|user's|customer's|patient's|"
    r"your|our)(?:\s+(?:following|given|provided))?\s+"
    r"(?P<said>(?:[\w'-]+\s+){0,2}[\w'-]+)\s*(?=below|above|text|message|provided|:|\.|,|and\b|into\b|$)",
    re.IGNORECASE,
)
_TOPIC_COUNT: Final = 3
_MOST_IN_CHAT: Final = 1
_TOO_SHORT_FOR_DOMAIN: Final = 2  # statements


def takes_any_text(prompt: Prompt, spec: InputSpec | None = None) -> bool:
    """Whether any text will do as an input: the prompt is about texts as such, and names no domain of its own."""
    spoken = tongue_of(prompt.text)
    if spoken not in ("", "en") and (spoken != "ja" or len(statements_of(prompt)) > _TOO_SHORT_FOR_DOMAIN):
        return False  # the words of other languages are not read, so a domain would not be seen
    if spec is not None and prompt.inputs and not _GENERIC_NAMES.fullmatch(spec.name):
        return False
    if not prompt.inputs:  # a message to the assistant: every word of its instructions counts
        return len(_chat_words(prompt.messages)) <= _MOST_IN_CHAT
    return not domain_words(prompt)


@lru_cache(maxsize=8)  # it is asked for the tests of every rule
def _chat_words(messages: tuple[PromptMessage, ...]) -> frozenset[str]:
    statements = statements_of(Prompt(name="", messages=messages))
    return frozenset(word for each in statements if not each.code for word in content_words(_bare(each.text)))


def domain_words(prompt: Prompt) -> tuple[str, ...]:
    """Return the words that name a prompt's domain: those of its role and its input, and those it repeats."""
    statements = [each for each in statements_of(prompt) if not each.code]
    texts = [_bare(each.text) for each in statements if each.section not in ("labels", "fields", "format")]
    named = [match["said"] for text in texts for pattern in (_ROLE, _OBJECT) for match in pattern.finditer(text)]
    often = Counter(word for text in texts for word in dict.fromkeys(content_words(text)))
    repeated = [word for word, count in often.items() if count >= _TOPIC_COUNT]
    return tuple(dict.fromkeys([word for said in named for word in content_words(said)] + repeated))


def _bare(text: str) -> str:
    text = re.sub(r"\{\{.*?\}\}|[\"“`][^\"”`\n]{1,200}[\"”`]|<[^<>]{1,60}>|\([^()\n]{1,200}\)", " ", text)
    return re.sub(r"\s+", " ", text)


def content_words(text: str) -> list[str]:
    """Return the words of a text that are not about texts, answers and their form, as stems."""
    words = re.findall(r"[a-z][a-z'-]{2,}", text.lower())
    return [stem for word in words if (stem := _stem(word)) and not _is_talk(word, stem)]


_NO_CONTENT: Final = _TALK | _COMMON | COMMANDS


@lru_cache(maxsize=8192)
def _is_talk(word: str, stem: str) -> bool:
    forms = {word, stem, base_form(word), from_gerund(word) or ""}
    return not forms.isdisjoint(_NO_CONTENT) or word.endswith(("ly", "ing", "ed", "est", "n't"))


def _stem(word: str) -> str:
    word = re.sub(r"'s?$", "", word.strip("-'"))
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word
