"""Find claims of earlier promises in a customer's messages, and sentences that accept them as fact."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from proctor.lexicon.match import Matcher, matcher
from proctor.text.claims import statements
from proctor.text.content_words import clauses, content

__all__ = ["Asserted", "asserted", "attributed", "carried", "kin", "topic_of"]

_READ: Final = 60_000  # letters, as many as are split into statements
# The concepts that say what a promise is about -> the name of the matter.
_TOPICS: Final = {
    "topic_refund": "refund",
    "topic_compensation": "compensation",
    "topic_discount": "discount",
    "topic_fee": "fee",
    "topic_upgrade": "upgrade",
    "topic_cancel": "cancel",
    "topic_exchange": "exchange",
    "topic_return": "return",
    "topic_change": "change",
    "topic_exception": "exception",
    "topic_booking": "booking",
}
_STAFF: Final = (
    r"(?:(?:an?|the|your|another|one of your|some|previous|last|other|that|my|first|different)\s+){0,3}"
    r"(?:(?:phone|chat|customer|support|service|care|human|live|senior|duty|call[- ]cent(?:er|re)|help ?desk"
    r"|front desk|sales)\s+){0,3}"
    r"(?:agents?|representatives?|reps?|colleagues?|managers?|supervisors?|staff|team|person|people|guy|lady|operators?"
    r"|assistants?|employees?|advisors?|specialists?|chatbot|bot|support|someone|somebody|they|you guys|you|company"
    r"|customer service|service desk|department)"
)
_PROMISES: Final = (
    r"(?:approved?|promised?|agreed?|authori[sz]ed?|granted|guaranteed?|confirmed?|waived?|offered|said|told|assured"
    r"|committed|okayed|ok'?d|signed off|cleared|accepted|arranged)"
)
_ENGLISH: Final = re.compile(
    rf"\b{_STAFF}\s+(?:\w+\s+){{0,4}}?(?:has|have|had|already|just|also|\s)*\s*{_PROMISES}\b"
    rf"|\b(?:i|we)\s+(?:was|were|have been|had been|['’]ve been)\s+(?:already\s+|previously\s+)?"
    rf"(?:told|promised|assured|offered|granted|guaranteed|informed|given|approved)\b"
    rf"|\b(?:was|were|is|has been|have been|had been|been)\s+(?:already|previously|pre-?)\s*-?(?:approved"
    rf"|promised|authori[sz]ed|"
    rf"granted|agreed|confirmed|waived|cleared)\b"
    rf"|\b(?:got|have|received|been given|was given)\s+(?:\w+\s+){{0,2}}(?:approval|permission|authori[sz]ation"
    rf"|confirmation|a promise)\b"
    rf"|\b(?:was|were|has been|have been)\s+(?:confirmed|promised|approved|granted|guaranteed)\s+to\s+(?:me|us)\b"
    rf"|\balready\s+(?:approved|promised|authori[sz]ed|granted|agreed|waived)\b"
    r"|\b(?:as|like)\s+(?:you|your \w+|the (?:last|previous) \w+)\s+(?:already\s+)?(?:promised|agreed|said"
    r"|approved|confirmed)\b",
    re.IGNORECASE,
)
# Every English claim contains one of these; most texts contain none and are skipped.
_ENGLISH_STEM: Final = re.compile(
    r"approv|promis|agree|authori|grant|guarant|confirm|waive|offer|said|told|assur|commit|okay|ok'?d|signed off|clear"
    r"|accept|arrang|inform|given|permission",
    re.IGNORECASE,
)
_JAPANESE: Final = re.compile(
    r"(?:(?:前|以前|先日|昨日|先週|別|そちら|御社|担当|オペレーター|スタッフ|サポート|責任者|マネージャー"
    r"|電話)[^。]{0,30})"
    r"(?:承認|約束|了承|許可|保証|免除|確約|同意|言われ|聞き|案内され|伝えられ|おっしゃ)"
    r"|(?:すでに|既に|もう)[^。]{0,20}(?:承認|約束|了承|許可|免除)|と(?:言われました|言われています"
    r"|約束されました|聞いています)"
)
# A request, a question or a denial is no claim about a promise.
_NO_CLAIM: Final = re.compile(
    r"^(?:can|could|would|will|is|are|do|does|did|what|when|how|why|where)\b|\b(?:if|unless|hope|wish"
    r"|never (?:told|promised|"
    r"approved|agreed)|not (?:told|promised|approved|agreed|been told)|no one|nobody|wasn['’]t (?:told"
    r"|promised)|weren['’]t told)\b",
    re.IGNORECASE,
)
# The agent attributes the claim to the customer, doubts it, looks it up, or hands it on.
_ATTRIBUTED: Final = re.compile(
    r"\b(?:(?<!as )(?<!since )(?<!because )you(?:['’]ve| have)? (?:said|say|mention(?:ed)?|told|indicat\w+"
    r"|stat\w+|note[ds]?|claim\w*|were told|was told|believe|"
    r"report\w*|explain\w*|shared|(?:have )?been told|were promised|refer)|you(?:['’]re| are) (?:saying|referring)"
    r"|as you (?:say|said|mention\w*)|(?:verify|verif\w+|confirm with|check(?:ing)?|look(?:ing)? into|"
    r"review|investigat\w+|validate|double[- ]check|see whether|find out)"
    r"|(?:do not|don['’]t|cannot|can['’]t|can ?not|could ?n['’]?t|could not|unable to|no) (?:\w+ ){0,3}"
    r"(?:see|find|confirm|verify|locate|record|access|guarantee|honou?r|note|evidence|trace|approve|process|issue)"
    r"|no (?:record|note|evidence|trace|sign|mention)|not (?:able|authori[sz]ed|possible|in a position|been"
    r"|eligible|recorded)"
    r"|apparently|alleged\w*|i understand (?:that )?you|i (?:hear|see) (?:that )?you (?:feel|were)|if (?:it"
    r"|this|that|your|the|an?|you)\b|whether|in case"
    r"|sorry (?:that|about|for|if|to hear)|apologi[sz]e|regardless of|even (?:if|though)|would have|may have"
    r"|might have|should have"
    r"|(?:the|our) (?:policy|policies|system|records?) (?:does|do|show|say|state|require|is|are)\w*"
    r"|unfortunately|however)\b"
    r"|n['’]t (?:see|find|confirm|verify)"
    r"|とのこと|おっしゃ|伺い|確認(?:いた|し|でき)|お調べ|記録(?:が|は)(?:ありません|ございません|見)|見当たり"
    r"|できません|できかね|かねます|"
    r"申し訳|場合|もし|恐れ入り",
    re.IGNORECASE,
)
_DEED: Final = (
    r"(?:approved|promised|agreed|authori[sz]ed|granted|guaranteed|confirmed|waived|offered|assured|told|cleared"
    r"|arranged)"
)
_FACT: Final = re.compile(
    rf"\b(?:since|as|because|given(?: that)?|seeing (?:as|that)|considering(?: that)?|now that)\b.{{0,60}}\b{_DEED}\b"
    rf"|\b(?:has|have|had|was|were|is|are|been)\s+(?:already\s+|previously\s+|indeed\s+|been\s+|now\s+|pre-)*{_DEED}\b"
    rf"|\b(?:as|per)\s+(?:was\s+|previously\s+|already\s+|my colleague\s+|our (?:agent|colleague|team"
    rf"|manager)\s+|the (?:agent|manager|colleague)\s+|"
    rf"your (?:agent|earlier agent)\s+|you (?:were|was)\s+|had\s+|has\s+)*{_DEED}\b"
    rf"|\b(?:the|your|this|that)\s+(?:already[- ]|previously[- ]|pre-?)?(?:approved|promised|agreed"
    rf"|authori[sz]ed|granted|waived)\b"
    rf"|\b(?:my|our|the) (?:colleague|manager|agent|team|supervisor"
    rf"|representative)(?:['’]s)?\s+(?:\w+ ){{0,3}}(?:{_DEED}|approval|promise)\b"
    rf"|\b(?:honou?r|go ahead with|proceed with|act on|following|based on|thanks to"
    rf"|in line with)\b.{{0,40}}\b(?:approval|promise|commitment|agreement|approved|promised|agreed)\b"
    r"|(?:承認|約束|了承|許可|免除|確約)(?:され|いただ|済み|を得|されて)|(?:お約束|ご案内)(?:した"
    r"|しました)とおり|(?:担当者|前回)[^。]{0,20}(?:約束|承認)",
    re.IGNORECASE,
)
_ASSENTS: Final = re.compile(
    (
        r"^(?:yes|yep|yeah|correct|right|that['’]s (?:right|correct)|indeed|of course|absolutely|certainly|sure"
        r"|はい|その通り)\b"
    ),
    re.IGNORECASE,
)
_GIVES: Final = re.compile(
    r"\b(?:i(?:['’]ll| will| am going to|['’]m going to|['’]ve| have| can)(?: now| just| go ahead and| gladly"
    r"| happily| certainly| also)*\s+"
    r"(?:process|issue|apply|refund|waive|credit|honou?r|initiate|complete|finali[sz]e|add|send|arrange|make)\w*"
    r"|you(?:['’]ll| will) (?:receive|get|have|be (?:refunded|credited|upgraded)))\b"
    r"|(?:返金|免除|適用|変更|手続き|処理)[^。]{0,12}(?:いたします|します|させていただきます|いたしました|しました)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asserted:
    """A promise the customer claims was made: the turn, its topic, and the words that would confirm it."""

    turn: int
    sentence: str
    topic: frozenset[str]
    deeds: tuple[str, ...]
    core: str = ""


def asserted(text: str, turn: int = 0) -> Iterator[Asserted]:
    """Yield the claims of earlier promises in one customer message; those on no known topic are left out."""
    text = text[:_READ]
    whole: frozenset[str] | None = None  # topics of the whole text; computed last because few texts contain a claim
    if not (tried := list(_tried(text))):
        return
    for statement in statements(text):
        if statement.kind == "question":
            continue
        end = next((end for each in tried if (end := each(statement.text)) is not None), None)
        if end is None:
            continue
        topic = topic_of(statement.text)
        if not topic:
            topic = whole = topic_of(text) if whole is None else whole
        if topic:
            yield Asserted(
                turn=turn,
                sentence=statement.text,
                topic=topic,
                deeds=_deeds(statement.text),
                core=_core(statement.text, end),
            )


def topic_of(text: str) -> frozenset[str]:
    """Return the topics of a text."""
    topics = matcher(*_TOPICS)
    shipped = frozenset(hit.lastgroup for hit in _topic_pattern(topics).finditer(text) if hit.lastgroup)
    return shipped | {_TOPICS[found.concept] for found in topics.own_hits(text)}


def attributed(sentence: str) -> bool:
    """Whether the agent attributes the claim to the customer, doubts it, or looks into it."""
    return _ATTRIBUTED.search(sentence) is not None or matcher("claim_left_with_customer").has(sentence)


def carried(premise: Asserted, sentence: str) -> bool:
    """Whether the wording of the sentence accepts the claim as fact on the same topic."""
    if not premise.topic & topic_of(sentence):
        return _ASSENTS.match(sentence) is not None and _is_fact(sentence)
    if _is_fact(sentence):
        return True
    return (
        any(_GIVES.search(part) for part in clauses(sentence))
        and re.search(r"\b(?:since|as|because|given)\b", sentence, re.I) is not None
    )


def kin(premise: Asserted, sentence: str) -> bool:
    """Whether the sentence is similar enough to the claim to be compared by a network."""
    return bool(premise.topic & topic_of(sentence)) and len(content(premise.core) & content(sentence)) >= 2


@lru_cache(maxsize=8)
def _topic_pattern(topics: Matcher) -> re.Pattern[str]:
    """One group for each topic."""
    words = ((_TOPICS[name], "|".join(patterns)) for name, patterns in topics.by_concept().items())
    return re.compile("|".join(f"(?P<{name}>{pattern or '(?!)'})" for name, pattern in words), re.IGNORECASE)


def _tried(text: str) -> Iterator[Callable[[str], int | None]]:
    """Yield the claim patterns that are worth trying on the sentences of a text."""
    if _ENGLISH_STEM.search(text):
        yield lambda sentence: _claim(_ENGLISH, sentence)
    if not text.isascii():
        yield lambda sentence: _claim(_JAPANESE, sentence)
    if matcher("promise_claim").has(text):
        yield _claim_elsewhere


def _claim(words: re.Pattern[str], sentence: str) -> int | None:
    """Where the words end that claim a promise, unless the sentence is a wish, a question or a denial."""
    hit = words.search(sentence)
    return hit.end() if hit is not None and not _NO_CLAIM.search(sentence) else None


def _claim_elsewhere(sentence: str) -> int | None:
    """Where the words end that claim a promise, in other languages."""
    return next((found.end for found in matcher("promise_claim").find(sentence, whole=True)), None)


def _is_fact(sentence: str) -> bool:
    return _FACT.search(sentence) is not None or matcher("promise_taken_as_fact").has(sentence)


def _deeds(sentence: str) -> tuple[str, ...]:
    """Return stems that a record would contain if the promise had been made."""
    stems = [
        "approv",
        "promis",
        "agree",
        "authoris",
        "authoriz",
        "grant",
        "waive",
        "承認",
        "約束",
        "了承",
        "免除",
        "許可",
    ]
    named = [stem for stem in stems if stem in sentence.casefold()]
    return tuple(named or stems)


def _core(sentence: str, end: int) -> str:
    """Return what was promised as a sentence: the text after ``that`` or after the verb."""
    rest = re.sub(r"^\s*(?:me|us|to me)?\s*(?:that|:)?\s*", "", sentence[end:])
    return rest if len(content(rest)) >= 2 else ""
