"""Detect wording of customers and agents that precedes a hand-over."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["Sign", "asks_for_person", "displeased", "lacks_knowledge", "needs_judgement", "unsure"]

_LONGEST = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """A matched wording and its strength, from 0 to 1."""

    quote: str
    strength: float


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE | re.MULTILINE)


_ASKS: Final = _any_of(
    r"\b(?:speak(?:ing)?|talk(?:ing)?|chat(?:ting)?|connect(?:ed|ing)?|transfer(?:red|ring)?|hand(?:ed|ing)?"
    r"|pass(?:ed|ing)?|get(?:ting)?|reach(?:ing)?|put(?:ting)?\s+(?:me\s+)?through|escalat(?:e|ed|ing)"
    r"|switch(?:ed|ing)?|forward(?:ed|ing)?|call(?:ed|ing)?)\b[^.?!\n]{0,30}?\b(?:to|with|through\s+to"
    r"|over\s+to|me|by|a|an|the|from|in\s+touch\s+with)\s+(?:(?:a|an|the|your|some|one\s+of\s+your"
    r"|any)\s+)?(?:(?:real|live|actual|human|another)\s+)*(?:human(?:\s+being)?|person|people|(?:"
    r"(?:customer\s+)?(?:service|support|care)\s+)?(?:agent|advisor|adviser|representative|rep|operator"
    r"|specialist|employee)|supervisor|manager|someone\s+(?:real|human|in\s+charge|else|from\s+your\s+team)"
    r"|somebody\s+(?:real|human|else)|customer\s+(?:service|support|care)|staff(?:\s+member)?)\b",
    r"\b(?:want|need|like|prefer|demand|request|where(?:'s|\s+is)|give\s+me|get\s+me|is\s+there"
    r"|can\s+i\s+have|let\s+me\s+have)\s+(?:(?:a|an|the|your|some|to\s+have)\s+)*(?:(?:real|live|actual"
    r"|human)\s+(?:agent|person|human(?:\s+being)?|representative|rep|operator|people)|human(?:\s+being)?"
    r"|supervisor|manager|representative)\b",
    r"\b(?:transfer|connect)\s+(?:me|us)\b(?!\s+(?:the\s+)?(?:money|funds|refund))",
    r"\b(?:way|can|could)\s+(?:you|i|we)\s+(?:can\s+)?escalate\b|\btalk(?:ing)?\s+(?:to|with)\s+someone\b",
    r"\b(?:please|can\s+you|could\s+you|just|want\s+you\s+to|need\s+you\s+to|would\s+you)\s+"
    r"(?:please\s+)?escalate\b",
    r"\b(?:a|an|any)\s+(?:real|actual|live)\s+(?:human|person)\b|\bspeak(?:ing)?\s+(?:to|with)\s+someone\b",
    r"\b(?:supervisor|manager|human|person)\b[^.?!\n]{0,20}\bi\s+can\s+(?:speak|talk)\b",
    r"^[^\w\n]{0,20}(?:(?:real|live|human)\s+)?(?:human|agent|representative|operator|supervisor|person)(?:\s+(?:please"
    r"|now))?[^\w\n]{0,20}$",
    r"\b(?:not|don['’]?t\s+want|stop)\s+(?:a\s+|the\s+|this\s+|to\s+(?:talk|speak|chat)\s+(?:to|with)\s+(?:a"
    r"|the|this)\s+)?(?:bot|chatbot|robot|machine|ai)\b",
    r"(?:人間|オペレーター|担当者|係の?人|責任者|上司|スタッフ).{0,8}(?:話|代わ|替わ|つな|繋|お願い|出して|呼)",
    r"\b(?:hablar|comunicar(?:me)?|pasar?me)\s+con\s+(?:una?\s+)?(?:persona|agente|humano|representante"
    r"|supervisor)",
    r"\b(?:parler|échanger|passer)\s+(?:à|avec|[aà]\s+)?\s*(?:une?\s+)?(?:personne|humain|conseill[eè]r(?:e)?"
    r"|agent|responsable)",
    r"\b(?:mit\s+)?(?:einem?|einer)\s+(?:menschen|mitarbeiter(?:in)?|echten\s+person|vorgesetzten|berater"
    r"(?:in)?)\s+(?:sprechen|reden|verbinden)",
    r"\bfalar\s+com\s+(?:uma?\s+)?(?:pessoa|atendente|humano|gerente)",
    r"\bparlare\s+con\s+(?:una?\s+)?(?:persona|operatore|umano)|(?:转|轉)?人工(?:客服|服务|服務)?|真人客服",
)
_ASKS_NOT: Final = _any_of(
    r"\b(?:do\s+not|don['’]?t|no\s+need\s+to|without\s+having\s+to|rather\s+not|avoid"
    r"|instead\s+of)\b[^.?!\n]{0,25}$",
    r"\b(?:i|we)\s+(?:already\s+|just\s+)?(?:spoke|talked|called|reached|got|(?:was|were|been|got)\s+"
    r"(?:transferred|connected|passed))\b[^.?!\n]{0,25}$",
)

_ANGER: Final = _any_of(
    r"\b(?:ridiculous|unacceptable|outrageous|disgusting|disgraceful|appalling|furious|livid|frustrat\w+"
    r"|infuriat\w+|fed\s+up|angry|annoyed|annoying|terrible|horrible|awful|pathetic|joke|scam\w*|rip[\s-]?off"
    r"|useless|incompetent|nightmare|worst|shameful|sick\s+(?:and\s+tired\s+)?of|had\s+enough|unbelievable"
    r"|disappoint\w+|unhappy|dissatisfied|upset|rude|lied|lying|wtf|damn|hell|bullshit|crap|sucks?|stupid"
    r"|idiots?|hate[ds]?|atrocious|shit\w*|fuck\w*|screwed|ruined|insane|absurd|lame|mess(?:ed)?\s+up|shame"
    r"|fail(?:ed)?\s+me)\b",
    r"\b(?:poor|bad|no|zero|lousy)\s+(?:customer\s+)?(?:service|support|communication)\b",
    r"\bnot\s+(?:at\s+all\s+)?(?:happy|impressed|pleased|ok(?:ay)?|cool|acceptable)\b",
    r"\b(?:been\s+)?(?:on\s+hold|waiting|waited)\s+(?:\w+\s+){0,3}?(?:\d+|an|several|many|two|three|four"
    r"|five)\s*\+?\s*(?:hours?|hrs?|days?|weeks?|months?)\b",
    r"[😡😠🤬😤👎]|\bwast(?:e|ed|ing)\s+(?:of\s+)?(?:my\s+)?time\b|\bnever\s+(?:again|book|fly|use|buy)\b",
    r"\b(?:lawyer|sue|legal\s+action|lawsuit|trading\s+standards|chargeback|social\s+media|bad\s+review"
    r"|one[\s-]star)\b",
    r"\bare\s+you\s+(?:kidding|serious|joking|even\s+listening|listening)\b",
    r"\b(?:you['’]?re|you\s+are|this\s+is)\s+not\s+(?:helping|listening|helpful|good\s+enough)\b",
    r"\bhow\s+many\s+times\b",
    r"\b(?:for\s+the\s+(?:second|third|fourth|fifth|tenth|last)\s+time|i['’]?ve\s+(?:already\s+)?(?:told"
    r"|asked|said|explained)\s+you)\b",
    r"\bstill\s+(?:no|not|nothing|waiting)\b[^.?!\n]{0,40}(?:!|\bhours?\b|\bdays?\b|\bweeks?\b)|ふざけ|いい加減に",
    r"ひどい|最悪|腹が立|怒って|がっかり|話にならない|納得できない|何度も言",
    r"\b(?:inaceptable|indignante|harto|harta|pésimo|vergüenza|inadmissible|scandaleux|furieu[xs]e?"
    r"|ras\s+le\s+bol|unverschämt|inakzeptabel|frechheit|absurdo|ridículo|inaccettabile|vergognos\w+)\b",
)
_NO_ANGER: Final = _any_of(
    r"\b(?:not|isn['’]?t|wasn['’]?t)\s+(?:too\s+|very\s+|really\s+|so\s+)?(?:angry|upset|annoyed|disappointed"
    r"|frustrat\w+|terrible|bad|rude|awful)\b",
    r"\bjust\s+(?:a\s+)?jok|\bwhat\s+the\s+hell\b(?=.*thank)|\bworst[\s-]case\b|\bif\s+(?:the\s+)?worst\b",
    r"\bhate\s+to\s+(?:bother|ask|be)\b",
)
# Airport codes in a row are not shouting, nor are thanks.
_SHOUTED: Final = re.compile(
    r"\b(?=[A-Z ,']{0,80}\b[A-Z]{4,}\b[A-Z ,']{0,80}\b[A-Z]{4,}\b)[A-Z]{2,}\b(?:[ ,']+[A-Z]{1,20}\b){2,}"
)
_GLAD: Final = re.compile(
    r"\b(?:thank|thanks|thx|love|awesome|amazing|great|best|happy|kudos|yay|omg)\b", re.IGNORECASE
)
_BANGS: Final = re.compile(r"[!！]{2,}|[?？][!！]|[!！][?？]")

_LACKS: Final = _any_of(
    r"\b(?:do(?:es)?\s*n[o'’]?t|did\s*n[o'’]?t|cannot|can['’]?t|could\s*n[o'’]?t|unable\s+to|not\s+able\s+to"
    r"|was\s+not\s+able\s+to)\s+(?:currently\s+|seem\s+to\s+|actually\s+)?(?:have|find|locate|see|access"
    r"|provide|answer)\s+(?:any\s+|the\s+|this\s+|that\s+|an?\s+|enough\s+|specific\s+|further\s+|more\s+"
    r"|access\s+to\s+)*(?:information|info|details?|answers?|polic(?:y|ies)|articles?|data|documentation"
    r"|record\s+of\s+(?:a|any)\s+policy|question|anything|faq|guidance|knowledge)\b",
    r"\bno\s+(?:information|info|articles?|faq|polic(?:y|ies)|results?|relevant\s+\w+|matching\s+\w+|answer"
    r"|documentation|entry|source)s?\s+(?:\w+\s+){0,3}?(?:found|available|about|on|for|in|covers?|matching"
    r"|exists?)\b",
    r"\b(?:not|isn['’]?t|aren['’]?t)\s+(?:covered|documented|listed|included|mentioned|available)\s+in\s+"
    r"(?:my|our|the)\b",
    r"\b(?:i['’]?m\s+not\s+sure|i\s+do\s+not\s+know|i\s+don['’]?t\s+know)\s+(?:about|whether|if|what|how"
    r"|the)?\b",
    r"\b(?:not|nothing|none)\s+(?:was\s+|were\s+)?found\b|\boutside\s+(?:of\s+)?(?:my|our)\s+knowledge\b|\bknowledge[\s_-]gap\b",
    r"\bno[\s_-](?:match|results?|hits?)\b|\bnot\s+in\s+(?:the\s+)?knowledge\b|情報が(?:ありません|見つかりません|ございません)",
    r"見つかりませんでした|分かりかねます|わかりかねます",
)
_UNSURE: Final = _any_of(
    r"\b(?:low|insufficient|below|not\s+enough)[\s_-]+(?:\w+[\s_-]+){0,3}?(?:confidence|certainty|threshold)\b",
    r"\bconfidence\b[^.\n]{0,30}\b(?:low|below|under|<)",
    r"\b(?:not|isn['’]?t)\s+(?:fully\s+|completely\s+|entirely\s+)?(?:confident|certain|sure\s+enough)\b|\bhallucinat\w+",
    r"\bunsupported\s+claim|\bfailed\s+(?:the\s+)?(?:grounding|safety|output|entailment|nli)\b",
    r"\bcould\s+not\s+verify\b|\bgrounding\s+(?:check\s+)?failed\b|\bconflicting\s+sources?\b",
    r"\buncertain\b|自信がありません|確信が持て",
)
_JUDGEMENT: Final = _any_of(
    r"\b(?:not|n['’]t|cannot|neither)\b[^.\n]{0,60}\b(?:per|under|by|according\s+to|based\s+on|meets?"
    r"|met)\s+(?:\w+\s+){0,3}?(?:polic(?:y|ies)|criteria|conditions?|rules?)\b",
    r"\b(?:criteria|conditions?)\s+(?:for\s+\w+\s+)?(?:are|is|were|was)\s+not\s+met\b",
    r"\binsist\w*\s+on\s+an?\s+exception\b|\bmake\s+an\s+exception\b",
    r"\b(?:multiple|several|more\s+than\s+one|two|conflicting|overlapping)\s+(?:\w+\s+)?(?:polic(?:y|ies)"
    r"|conditions?|rules?|exceptions?)\b",
    r"\bpolicy[\s_-]+(?:complex\w*|exception|conflict|dispute)\b",
    r"\bcomplex\s+(?:policy|case|refund|dispute|situation|request)\b",
    r"\b(?:requires?|needs?|subject\s+to|pending)\s+(?:\w+\s+){0,3}?(?:approval|review|judg(?:e)?ment"
    r"|authori[sz]ation|discretion|sign[\s-]?off|exception)\b",
    r"\b(?:case[\s-]by[\s-]case|at\s+(?:the|our|its)\s+(?:sole\s+)?discretion|exception\s+to\s+(?:the"
    r"|our)\s+policy|goodwill|special\s+circumstances|extenuating)\b",
    r"\b(?:manager|supervisor|human|specialist|finance)(?:['’]s)?\s+(?:approval|judg(?:e)?ment|decision"
    r"|review)\b",
    r"\brefund\s+dispute\b|\bdisputed?\b",
    r"\b(?:beyond|outside|exceeds?)\s+(?:of\s+)?(?:my|the\s+agent['’]?s)\s+(?:authority|permission|limit"
    r"|scope)\b",
    r"個別(?:の)?(?:判断|対応)|特別な事情|上長の承認",
)


def asks_for_person(text: str) -> Sign | None:
    """Return wording that asks for a human; a report of an earlier talk with one does not count."""
    for found in _ASKS.finditer(text[:_LONGEST]):
        before = text[max(0, found.start() - 40) : found.start()]
        if not _ASKS_NOT.search(before + " "):
            return Sign(quote=found.group().strip(), strength=0.95)
    return None


def displeased(text: str) -> Sign | None:
    """Return wording of anger or disappointment; repetition, capitals and exclamation marks increase the strength."""
    plain = _NO_ANGER.sub(" ", text[:_LONGEST])
    words = [found.group() for found in _ANGER.finditer(plain)]
    loud = [found.group() for pattern in (_SHOUTED, _BANGS) for found in pattern.finditer(plain)]
    if not words and (not _SHOUTED.search(plain) or _GLAD.search(plain)):
        return None
    strength = 0.55 + 0.15 * min(2, len(words) - 1 if words else 0) + 0.1 * bool(loud)
    return Sign(quote=(words or loud)[0].strip(), strength=min(0.9, strength))


def lacks_knowledge(text: str) -> Sign | None:
    """Return wording that something could not be found or is not known."""
    found = _LACKS.search(text[:_LONGEST])
    return Sign(quote=found.group().strip(), strength=0.6) if found else None


def unsure(text: str) -> Sign | None:
    """Return wording that an answer existed but was unreliable."""
    found = _UNSURE.search(text[:_LONGEST])
    return Sign(quote=found.group().strip(), strength=0.6) if found else None


def needs_judgement(text: str) -> Sign | None:
    """Return wording that several conditions or an exception need a person's decision."""
    found = _JUDGEMENT.search(text[:_LONGEST])
    return Sign(quote=found.group().strip(), strength=0.6) if found else None
