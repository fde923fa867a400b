"""Patterns of English wording in agent prompts for the order of steps, and the step predicates they mean.

Only unambiguous statements are parsed; one with a condition that the pattern does not cover is left to the judge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from proctor.generate.extract.predicate_text import quoted

__all__ = ["Wording"]

_TOOL: Final = r"(?:the |a |an )?(?:tool |function )?[`'\"]?§\d+§[`'\"]?(?:\(\))?(?: (?:tool|function|call)s?)?"
_CALL: Final = (
    r"(?:(?:mak(?:e|ing) (?:a |the )?(?:tool |function )?calls? (?:to|of)|call(?:ing|ed)?|us(?:e|ing|ed)|"
    r"invok(?:e|ing|ed)|run(?:ning)?|execut(?:e|ing|ed)|check(?:ing|ed)?|consult(?:ing|ed)?|query(?:ing)?)\s+)"
)
_ANSWERING: Final = (
    r"(?:(?:you )?(?:answer|respond|reply)(?:ing)?\b(?: to)?(?: the| any)?(?: user| customer| question)?s?|"
    r"giving (?:an |your )?answer|any answer|the (?:final )?answer)"
)
_CHANGING: Final = (
    r"(?:(?:tak|mak|perform|execut|carry|apply)\w*(?: out)? )?(?:any |all |the )?(?:\w+ )?(?:actions?|operations?|"
    r"changes?|updates?|modifications?|writes?|tool calls?)(?: that (?:will |would |may )?(?:updat|chang|modif|writ|"
    r"delet|alter|affect)\w*[^,.;]{0,120})?"
)
_CHANGES: Final = re.compile(
    r"\b(?:updat|chang|modif|writ|delet|alter|consequential|irreversible|destructive)\w*", re.IGNORECASE
)
_LEAVING: Final = r"(?:transferr?(?:ing)?|escalat(?:e|ing)|hand(?:ing)? (?:it )?(?:off|over))\b"
_STEP: Final = rf"(?:{_CALL}?{_TOOL}|{_ANSWERING}|{_LEAVING})"
_NEVER: Final = r"(?:do not|don[’']t|never|must not|should not|shouldn[’']t|may not|cannot|can[’']t)(?: ever)?"
_CONFIRM: Final = re.compile(
    r"\b(?:(?:obtain|get|ask(?:ing)? for|require|wait(?:ing)? for|receiv|seek|need|have|has|with|without|request|"
    r"secur)\w*\b"
    r"[^.;]{0,60}?\b(?:confirmation|approval|consent|permission|agreement)|"
    r"confirm(?:s|ing)? (?:it |this |that |the details? |details? |everything )?with the (?:user|customer|client)|"
    r"ask(?:s|ing)? (?:the (?:user|customer|client)|them) (?:to confirm|for (?:explicit )?confirmation)|"
    r"(?:user|customer|client) (?:must|has to|needs to|should)? ?(?:explicitly )?confirms?)\b",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(r"\b(?:unless|except|if|when|whenever|only for|in case)\b", re.IGNORECASE)
_COUNTED: Final = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
_NUMBERS: Final = {word: number for number, word in enumerate(_COUNTED.split())} | {
    "a": 1, "an": 1, "single": 1, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "eighty": 80,
    "hundred": 100,
}  # fmt: skip
_NUMBER: Final = r"(?:\d{1,3}(?:,\d{3})+|\d{1,6}|(?:" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + r"))"
_OFTEN: Final = rf"(?P<often>once\b|twice\b|(?!an?\b){_NUMBER}\b(?: times?)?)"
_QUOTED: Final = r"[\"'“‘](?P<said>[^\"“”‘]{2,200}?)(?:[\"”]|['’](?!\w)|$)"
_PER_TURN: Final = re.compile(r"\b(?:per|in (?:a|one|the same|each|any|a single)|each|every) turn\b", re.IGNORECASE)
_IDENTITY: Final = re.compile(
    r"\b(?:authenticat|verif|identif|confirm)\w*\b[^.;]{0,30}\b(?:user|customer|caller|client)(?:['’]s)?\b"
    r"(?: (?:identity|id|account))?",
    re.IGNORECASE,
)
_AT_FIRST: Final = re.compile(
    r"\b(?:at the (?:beginning|start)|first|before (?:anything|doing anything|any|you)|begin by|start by)\b",
    re.IGNORECASE,
)
_FINDS_PERSON: Final = re.compile(
    r"^(?:find|lookup|look_up|get|locate)_(?:user|customer|client)(?:_id)?_(?:by|from)|"
    r"^(?:authenticate|login|log_in|identify|verify_(?:user|customer|identity|caller|client))",
    re.IGNORECASE,
)
_ID_NAME: Final = re.compile(r"\b[a-z]+(?:_[a-z]+)*_(?:id|ids|number)\b")

_LONGEST: Final = 400  # a longer text contains more than one requirement

Found = tuple[str, str]  # the rule's text, if its statement contains several; the predicate
Reader = Callable[["Wording", str], Iterator[Found]]


class Wording:
    """The patterns, with the names of an agent's tools."""

    def __init__(self, tools: Iterable[str]) -> None:
        self.tools = list(tools)
        longest = sorted((name for name in self.tools if name), key=len, reverse=True)
        self._names = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, longest))})(?![\w])") if longest else None

    def predicates(self, statement: str) -> list[Found]:
        """Return the step predicates of a statement, in pattern order and without duplicates."""
        if len(statement) > _LONGEST:
            return []
        text = self._marked(re.sub(r"\s+", " ", statement.replace("*", "")).strip())
        found: dict[str, str] = {}
        for read in _READERS:
            for said, predicate in read(self, text):
                found.setdefault(predicate, said)
        return [(said, predicate) for predicate, said in found.items()]

    def _marked(self, text: str) -> str:
        """Replace each tool name by a mark, so that patterns need not know the names."""
        if self._names is None:
            return text
        return self._names.sub(lambda found: f"§{self.tools.index(found.group())}§", text)

    def step(self, text: str) -> str:
        """Return the step that some words mean; empty if there is none."""
        if tool := re.search(r"§(\d+)§", text):
            return f"`{self.tools[int(tool.group(1))]}`"
        if re.search(_ANSWERING, text, re.IGNORECASE):
            return "answer"
        return "hand-off" if re.search(_LEAVING, text, re.IGNORECASE) else ""

    def named(self, text: str) -> list[str]:
        """Return the tools named in some words, in order."""
        return [f"`{self.tools[int(number)]}`" for number in re.findall(r"§(\d+)§", text)]


def _one_at_a_time(_: Wording, text: str) -> Iterator[Found]:
    if re.search(
        r"\b(?:one|a single|1) (?:tool|function)(?: call)?s? (?:call )?(?:at a time|at once|per (?:message|step))|"
        r"\b(?:only|at most|no more than|never more than) (?:make |call |use )?(?:one|a single) (?:tool|function)\b"
        r"(?! (?:per|in a) conversation)",
        text,
        re.IGNORECASE,
    ):
        yield "The agent makes one tool call at a time.", "one call at a time"


def _not_both(_: Wording, text: str) -> Iterator[Found]:
    call = r"(?:tool|function) calls?"
    if re.search(
        rf"\bif you (?:mak|tak|us)e a {call},? (?:you )?(?:should not|must not|do not|don[’']t|cannot) "
        rf"(?:respond|reply|answer|write|speak)|"
        rf"\bif you (?:respond|reply|answer)[^.]{{0,40}}(?:should not|must not|do not|don[’']t) make a {call}|"
        rf"\b(?:do not|don[’']t|never) (?:respond|reply|write)[^.]{{0,40}}(?:same (?:message|time)|simultaneous\w*)"
        rf"[^.]{{0,20}}{call}",
        text,
        re.IGNORECASE,
    ):
        yield "A message of the agent is a tool call or words to the user, not both.", "no words beside calls"


def _confirmed(wording: Wording, text: str) -> Iterator[Found]:
    """Parse ``Before any change, obtain the user's confirmation``; with the tool if one is named."""
    if not _CONFIRM.search(text) or re.match(r"(?:if|when|unless)\b", text, re.IGNORECASE):
        return
    before = re.search(r"\b(?:before|prior to|without|until)\b\s+(?P<what>.{1,200})", text, re.IGNORECASE)
    named = wording.named(text)
    if named and (before or re.search(_NEVER, text, re.IGNORECASE)):
        yield "", f"confirmation before {_any_of(named)} in the same turn"
    elif before and re.match(_CHANGING, before["what"], re.IGNORECASE) and _CHANGES.search(before["what"]):
        yield "The user confirms before the agent changes anything.", "confirmation before write in the same turn"


def _in_order(wording: Wording, text: str) -> Iterator[Found]:
    denied = re.search(rf"\b{_NEVER}\s+{_CALL}(?P<a>{_TOOL})", text, re.IGNORECASE)
    if denied:
        yield from _denied(wording, text, denied)
        return
    patterns = (
        rf"\b{_CALL}(?P<a>{_TOOL})[^.;]{{0,40}}?\bbefore\b (?P<b>{_STEP})",
        rf"\bbefore\b (?P<b>{_STEP})[^.;§]{{0,80}}?\b{_CALL}(?P<a>{_TOOL})",
        rf"(?P<b>{_TOOL})[^.;§]{{0,40}}?\bonly after\b (?P<a>{_STEP})",
        rf"\b(?:first|start by|begin by) {_CALL}(?P<a>{_TOOL})[^.;§]{{0,20}}?\bthen {_CALL}(?P<b>{_TOOL})",
    )
    for pattern in patterns:
        for match in re.finditer(pattern, text, re.IGNORECASE):
            first, then = wording.step(match["a"]), wording.step(match["b"])
            if first and then and first != then and not _CONDITION.search(text):
                yield "", f"{first} before {then}"


def _denied(wording: Wording, text: str, denied: re.Match[str]) -> Iterator[Found]:
    """Parse ``Never call X``, and its exceptions: another call, a number of times, a value."""
    tool, rest = wording.step(denied["a"]), text[denied.end() :]
    if lifted := re.match(
        rf"[^.;]{{0,30}}?\b(?:before|until|unless|without(?: first)?)\b[^.;§]{{0,40}}?(?P<a>{_TOOL})",
        rest,
        re.IGNORECASE,
    ):
        yield "", f"{wording.step(lifted['a'])} before {tool}"
    elif often := re.match(rf"\s*(?:for )?more than {_OFTEN}", rest, re.IGNORECASE):
        yield "", f"count of {tool} <= {_times(often['often'])}{_per_turn(rest)}"
    elif value := re.match(
        rf"\s*(?:with|for|when|if)\s+(?:an? |the )?[`\"']?(?P<name>[a-z_]+)[`\"']?\s+(?:is |of )?(?P<how>over|above|"
        rf"more than|greater than|exceeding|below|under|less than)\s+[$€£]?(?P<number>{_NUMBER})",
        rest,
        re.IGNORECASE,
    ):
        sign = "<" if value["how"].lower() in ("below", "under", "less than") else ">"
        yield "", f'never {tool} with "{value["name"]}" {sign} {_number_of(value["number"])}'
    elif after := re.match(rf"\s*(?:again )?(?:after|once)\b[^.;§]{{0,30}}?(?P<b>{_TOOL})", rest, re.IGNORECASE):
        yield "", f"never {tool} after {wording.step(after['b'])}"
    elif missing := re.match(r"\s*without (?:an? |the )?[`\"'](?P<name>\w+)[`\"']", rest, re.IGNORECASE):
        yield "", f'never {tool} without "{missing["name"]}"'
    elif re.fullmatch(r"(?:\s*(?:,|or|and|nor)?\s*" + _TOOL + r")*[\s.!]*", rest, re.IGNORECASE):
        yield "", f"never {_any_of([tool, *wording.named(rest)])}"


def _followed(wording: Wording, text: str) -> Iterator[Found]:
    said = re.search(
        rf"{_CALL}(?P<a>{_TOOL})[^.;\"“§]{{0,20}}?\bthen (?:send|say|tell|write|respond|reply|answer)[^\"'“‘]{{0,40}}"
        + _QUOTED,
        text,
        re.IGNORECASE,
    )
    if said:
        words = quoted([said["said"].strip()])
        yield "", f"answer saying {words} after {wording.step(said['a'])}"
    for match in re.finditer(
        rf"\bafter {_CALL}?(?P<b>{_TOOL})[^.;§]{{0,60}}?\b{_CALL}(?P<a>{_TOOL})", text, re.IGNORECASE
    ):
        if not _CONDITION.search(text):
            yield "", f"{wording.step(match['a'])} after {wording.step(match['b'])}"


def _counted(wording: Wording, text: str) -> Iterator[Found]:
    patterns = (
        rf"\b{_CALL}(?P<a>{_TOOL})[^.;§]{{0,20}}?\b(?:at most|no more than|a maximum of|up to|only) {_OFTEN}",
        rf"(?P<a>{_TOOL}) (?:can|may|must|should)(?: only)? be (?:called|used|invoked)"
        rf"(?: at most| only| no more than)? {_OFTEN}",
        rf"\b(?:at most|no more than|a maximum of|up to) {_OFTEN} calls? (?:to|of) (?P<a>{_TOOL})",
    )
    for pattern in patterns:
        for match in re.finditer(pattern, text, re.IGNORECASE):
            yield "", f"count of {wording.step(match['a'])} <= {_times(match['often'])}{_per_turn(text)}"
    every = re.search(
        rf"\b(?:at most|no more than|a maximum of|never more than|up to) (?P<often>{_NUMBER}) (?:tool|function) calls?"
        r"(?! at (?:a time|once))",
        text,
        re.IGNORECASE,
    )
    if every and _times(every["often"]) > 1:
        yield "", f"count of call <= {_times(every['often'])}{_per_turn(text)}"


def _at_first(wording: Wording, text: str) -> Iterator[Found]:
    if _CONDITION.search(text):
        return
    # What comes first on an occasion ("for questions about hours, first call …") is not the first call of all.
    match = re.match(
        rf"(?:you )?(?:must |should |always |please |have to )*(?:(?:start|begin)(?: (?:the|each|every) conversation)? "
        rf"(?:by|with) {_CALL}?|(?:always )?first,? {_CALL})(?P<a>{_TOOL})(?P<rest>[^.;§]{{0,30}})",
        text,
        re.IGNORECASE,
    )
    if match and not re.search(r"\b(?:then|to|for|before)\b", match["rest"]):
        yield "", f"first call is {wording.step(match['a'])}"
    elif _IDENTITY.search(text) and _AT_FIRST.search(text):
        # A prompt may name one of several tools that find a person: those with the same prefix are meant too.
        finders = ["_".join(name.split("_")[:2]) + "*" for name in wording.tools if _FINDS_PERSON.search(name)]
        if finders:
            yield "", f"first call is {_any_of(finders)}"


def _allowed(wording: Wording, text: str) -> Iterator[Found]:
    match = re.match(
        rf"(?:you (?:may|can|must|should) )?only (?:call|use)(?: the)?(?: following)?(?: tools?)?:?\s*"
        rf"(?P<all>{_TOOL}(?:\s*(?:,|and|or|, and|, or)\s*{_TOOL})*)[\s.!]*$",
        text,
        re.IGNORECASE,
    )
    if match:
        yield "", f"every call is {_any_of(wording.named(match['all']))}"


def _on_words(wording: Wording, text: str) -> Iterator[Found]:
    """Parse ``If the customer mentions "x", call Y``."""
    heard = re.search(
        rf"\b(?:if|when|whenever) (?:the |a )?(?:user|customer|client|caller)s? (?:says?|mentions?|writes?|uses? the "
        rf"(?:word|phrase)s?|asks? (?:for|about))[^\"“'‘.]{{0,30}}{_QUOTED}"
        rf"(?P<more>(?:\s*(?:,|or|and)+\s*[\"“'‘][^\"“”‘]{{2,100}}[\"”'’])*)",
        text,
        re.IGNORECASE,
    )
    if heard is None:
        return
    outside = text[: heard.start()] + text[heard.end() :]
    called = re.search(rf"\b{_CALL}(?P<a>{_TOOL})|(?P<out>{_LEAVING})", outside, re.IGNORECASE)
    if called is None or re.search(_NEVER, outside, re.IGNORECASE):
        return
    texts = [heard["said"], *re.findall(r"[\"“'‘]([^\"“”‘]{2,100})[\"”'’]", heard["more"])]
    words = ", ".join(quoted([each.strip(" ,.")]) for each in texts)
    yield "", f"{wording.step(called.group())} after {'any of ' if len(texts) > 1 else ''}{words}"


def _told(wording: Wording, text: str) -> Iterator[Found]:
    match = re.search(
        rf"\b(?:mention|include|state|tell|give|report)\b[^.;]{{0,30}}?\bthe [`\"']?(?P<name>[a-z]+(?:[_ ][a-z]+)?)"
        rf"[`\"']? (?:that is |that was )?(?:returned|given|reported|from|shown)(?: by| from)? (?P<a>{_TOOL})",
        text,
        re.IGNORECASE,
    )
    if match and not _CONDITION.search(text):
        name = match["name"].lower().replace(" ", "_")
        yield "", f'answer after {wording.step(match["a"])} mentions its "{name}"'


def _given(_: Wording, text: str) -> Iterator[Found]:
    denied = re.search(
        rf"\b{_NEVER} (?:guess|invent|make up|fabricate)\b(?P<what>(?:,? (?:an?|the|any|or|and|[`\"']?[a-z_]+_(?:id|"
        rf"ids|number)[`\"']?)\b,?[`\"']?)+)",
        text,
        re.IGNORECASE,
    )
    if denied and (names := _ID_NAME.findall(denied["what"])):
        yield "", f"known {quoted(dict.fromkeys(names))} in call"


def _repeated(_: Wording, text: str) -> Iterator[Found]:
    if re.search(
        rf"\b{_NEVER} (?:repeat|(?:call|make|use)\b[^.;]{{0,30}}\bsame)\b[^.;]{{0,30}}\b(?:tool|function|call)s?\b"
        r"[^.;]{0,40}?(?:twice|again|same arguments|more than once|$)",
        text,
        re.IGNORECASE,
    ):
        yield "", "never repeat call"


def _in_state(wording: Wording, text: str) -> Iterator[Found]:
    """Parse ``An order can only be cancelled if its status is 'pending'``: a lookup must precede the change."""
    match = re.match(
        r"(?:an?|the|each) (?P<thing>[a-z]+) (?:can|may|must|should) only be (?P<done>[a-z]{5,})(?:ed|d) "
        r"(?:if|when|while) (?:its|the) (?P<field>[a-z_]+) is [\"'“‘](?P<value>[^\"'“”‘’]{1,40})[\"'”’]",
        text,
        re.IGNORECASE,
    )
    if match is None:
        return
    thing, stem = match["thing"].lower(), match["done"].lower()[:4]
    about = [name for name in wording.tools if thing in name.lower().split("_")]
    looks = [f"`{name}`" for name in about if re.match(r"(?:get|read|fetch|lookup|check|find)_", name)]
    changes = [f"`{name}`" for name in about if name.lower().startswith(stem)]
    if looks and changes:
        shown = f'{_any_of(looks)} returning "{match["field"].lower()}" = {quoted([match["value"]])}'
        yield "", f"{shown} before {_any_of(changes)}"


def _any_of(steps: Sequence[str]) -> str:
    several = list(dict.fromkeys(steps))
    return several[0] if len(several) == 1 else f"any of {', '.join(several)}"


def _times(said: str) -> int:
    word = said.lower().removesuffix(" times").removesuffix(" time")
    return {"once": 1, "twice": 2}.get(word) or _number_of(word)


def _per_turn(text: str) -> str:
    return " in a turn" if _PER_TURN.search(text) else ""


_READERS: Final[tuple[Reader, ...]] = (
    _one_at_a_time, _not_both, _confirmed, _followed, _in_order, _counted, _at_first, _allowed, _on_words, _told,
    _given, _repeated, _in_state,
)  # fmt: skip


def _number_of(word: str) -> int:
    word = word.lower().replace(",", "")
    return _NUMBERS[word] if word in _NUMBERS else int(word)
