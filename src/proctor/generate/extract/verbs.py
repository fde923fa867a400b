"""The verbs of commands in prompts, and their inflections."""

from __future__ import annotations

import re
from typing import Final

from proctor.generate.extract.vocabulary import worded

__all__ = [
    "COMMANDS",
    "THINKING",
    "base_form",
    "from_gerund",
    "looks_like_command",
]

_GIVING: Final = worded(
    "return output respond reply answer give produce print emit write generate create compose draft craft provide "
    "say deliver present submit"
)
# Commands about thinking, which are not visible in an output.
THINKING: Final = worded(
    "think consider read imagine understand assume pretend act analyse analyze remember note breathe "
    "wait recall reflect know "
    "learn see look observe study spend digest consume absorb take play roleplay become let notice examine"
)
COMMANDS: Final = (
    _GIVING
    | THINKING
    | worded(
        """
    abbreviate accept acknowledge adapt add address adhere adjust adopt advise aim align allow
    alphabetize apologize append apply arrange ask assess assign assist attach avoid balance base be
    begin book break bring build bold brainstorm bullet call capitalize capture categorize change check
    choose cite clarify classify close code collect combine comment communicate compare complete compute
    concentrate conclude condense confirm connect construct contain continue convert convey copy correct
    count cover criticise criticize decide decline define delete demonstrate denote derive describe design detail detect
    determine develop diagnose discuss direct disclose display divide do double drop edit elaborate emphasize
    employ enclose encourage end engage enhance ensure enumerate escalate estimate evaluate exclude
    execute expand explain express extract fill filter find finish fix flag focus follow format
    formulate gather greet group guarantee guess guide handle help highlight identify ignore illustrate
    implement improve include incorporate increase indicate initiate infer inform insert introduce
    invent invite italicize judge justify keep label lead leave limit link list localize maintain make map
    mark match mention merge mimic minimize mirror modify move name number offer offset omit open
    optimize order organize outline paraphrase perform pick place point polish praise predict prefer
    promise pay prefix preserve prioritize process proofread propose provide put quote rank rate reach
    recommend record reduce refer reference refine reformat reframe refrain refuse reject relate remain
    remove rename render reorder repeat rephrase replace report request resolve restate restrict retain
    reveal reverse review revise reword rewrite round rule save score search select send separate serve
    set share shorten show sign simplify sort sound speak specify split start state stay stick stop
    strip structure stress style suggest summarise summarize supply support switch synthesize tag tailor
    take talk target teach tell test thank title track transcribe transform translate treat try turn
    anonymize calculate cap characterize comply conform contextualize credit customize defer deny
    depict differentiate discourage disregard distinguish embed empathize enrich escape exceed
    export fabricate fold forward hedge honor honour infer inquire interpret invoke log lowercase
    mask maximize maximise minimise normalize optimise organise parse pause personalize personalise
    phrase prepend prioritise probe proceed quantify query react reassure recap recognize redact
    redirect remind reproduce resist respect route sanitize scan skip soften solve speculate spell
    steer substitute summarise surface trace trim troubleshoot truncate uppercase walk welcome
    withhold
    plan understand update use utilize validate verify vary warn weigh wrap
    """
    )
)


def from_gerund(word: str) -> str | None:
    """Convert ``using`` to ``use``; None if no known command has this form."""
    lower = word.lower()
    if not lower.endswith("ing") or len(lower) < 5:
        return None
    stem = lower[:-3]
    tries = (stem, stem + "e", stem[:-1] if stem[-1:] == stem[-2:-1] else stem, stem[:-1] + "ie")
    return next((verb for verb in tries if verb in COMMANDS), None)


_FOLLOWING: Final = re.compile(
    r"(?:the|a|an|it|its|them|their|each|every|all|any|only|no|your|this|that|these|those|how|what|why|whether|one|"
    r"two|three|multiple|several|specific|general|exactly|just|up|out|in|into|to|with|without|at|by|for|from|on|as|"
    r"if|short|clear|simple|bullet|both|either|more|less|\d+)\b|"
    r"[\"“`<\[{']|[A-Z]|\w+(?:ly|al|ing|ed|ful|ive|ent|ant|ous|able|ible|ic)\b|\w+s\b",
    re.IGNORECASE,
)
_OBJECT: Final = re.compile(
    r"(?:the|a|an|it|them|your|any|all|each|every|this|these|its|him|her|only|no)\b", re.IGNORECASE
)
_NO_VERB: Final = worded(
    """
    the a an this that these those it its they them he she we you i my your our their his her who which
    what when where why how if unless because since although while with without within in into on onto
    at by for from of to as and or but nor not so than then is are was were be been being am has have
    had do does did will would shall should can could may might must ought there here all any each every
    some no none only just even also both either neither more most less least very too such same other
    another inside outside near toward towards upon after before during
    under over above below between among against about around through per
    via like unlike except despite given based regarding concerning following including according due
    everything something anything nothing everyone someone anyone one two three yes ok
    """
)


def looks_like_command(verb: str, following: str, *, adverb: str = "") -> bool:
    """Whether a word begins a command: a known verb, or any word followed by an object."""
    verb = verb.lower()
    if verb in _NO_VERB and verb not in ("be", "do", "have"):
        return False
    if re.search(r"not|don|never|always|please", adverb, re.IGNORECASE):
        return True
    if verb in COMMANDS:
        return not following or bool(_FOLLOWING.match(following))
    return bool(following) and bool(_OBJECT.match(following)) and not verb.endswith(("s", "ing", "ed", "tion", "ment"))


def base_form(verb: str) -> str:
    """Convert ``emphasizes`` to ``emphasize``, ``classifies`` to ``classify``."""
    if verb in ("is", "has", "does"):
        return {"is": "be", "has": "have", "does": "do"}[verb]
    tries = (verb[:-3] + "y" if verb.endswith("ies") else "", verb.removesuffix("s"), verb.removesuffix("es"))
    known = next((each for each in tries if each and each in COMMANDS), None)
    if known:
        return known
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    return verb[:-2] if re.search(r"(?:sses|xes|zzes|ches|shes)$", verb) else verb.removesuffix("s")
