"""Detect phrases that try to take over an agent, in clear or hidden text, and what they ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from proctor.text.chunked_regex import translated
from proctor.text.injected_orders import specifics
from proctor.text.normalise import normalise, views
from proctor.text.pattern_files import wording
from proctor.text.pattern_prefilter import Haystack

__all__ = ["Attempt", "Override", "attempts", "override_in", "readings", "shortened"]

_LETTERS: Final = 20_000  # characters of one message, from both ends, to bound the work
# The instructions to drop must be the agent's own: a customer may say "ignore my last message".
_DROPS: Final = (
    r"\b(?:ignore|disregard|forget|override|bypass|drop|stop following)\b[ ,]+"
    r"(?:(?:all|any|every|each|the|these|those|your|of|about|everything in|safety|system)\s+)*"
    r"(?:(?:previous|prior|above|earlier|preceding|existing|current|other|original|former|security)\s+)*"
    r"(?:instructions?|rules?|prompts?|guidelines?|polic(?:y|ies)|restrictions?|programming|directives?|guardrails|"
    r"training)\b(?!\s+(?:i|we)\b)|"
    r"\bignor(?:a|e|ez|ier\w*)\b(?![^.!?\n]{0,16}\b(?:my|mis?|mes|mon|meine[nr]?|mie|minhas?)\b)[^.!?\n]{0,40}"
    r"\b(?:instruc\w+|reglas|règles|consignes|anweisung\w*|regeln|istruzioni|regole|instruções|regras)\b|"
    r"\boublie[zs]?\b[^.!?\n]{0,40}\b(?:instructions|consignes|règles)\b|"
    r"\b(?:vergiss|missachte)\b[^.!?\n]{0,40}\b(?:anweisung\w*|regeln|vorgaben)\b|"
    r"\b(?:olvida|omite|dimentica|esqueça|desconsidere)\b[^.!?\n]{0,40}\b(?:instruc\w+|instruções|reglas|regras|"
    r"istruzioni|regole)\b|"
    r"(?:игнорируй|проигнорируй|забудь)\w*[^.!?\n]{0,40}(?:инструкци|указани|правил)\w*|"
    r"(?:忽略|无视|無視|忘记|忘掉|不要理会|不用管)(?!我[上刚前])[^。！？\n]{0,16}(?:指令|指示|规则|規則|提示词|提示|说明|設定|设定)|"
    r"(?:指示|命令|ルール|指令|プロンプト|設定|規則)[^。！？\n]{0,8}(?:無視|忘れ|破棄)|"
    r"(?:지시|명령|규칙|지침|프롬프트)[^.!?\n]{0,14}(?:무시|잊)|"
    r"(?:התעלם|התעלמי|שכח)[^.!?\n]{0,30}(?:ההוראות|הוראות|הכללים)"
)
_HIJACKS: Final = (
    r"\b(?:new|updated) (?:system )?(?:instructions?|prompt)s?\s*:|\b(?:system|developer|admin) ?(?:prompt|message|"
    r"override|mode)\s*[:=\]]|<\s*/?\s*(?:system|instructions?)\s*>|\[(?:INST|SYSTEM|ADMIN)\]|<\|im_start\|>|"
    r"\b(?:as|i am|i['’]m|this is) (?:a|an|the|your) (?:(?:lead|senior|system|chief|it)\s+)?(?:developer|"
    r"administrator|admin|engineer|tester|auditor|creator|operator|supervisor|owner)\b[^.?!\n]{0,60}"
    r"\b(?:test(?:ing)? (?:you|this (?:bot|assistant|agent|system))|of (?:this|the) (?:bot|assistant|agent|chatbot)|"
    r"(?:authori[sz]e|order|command|instruct) you|debug\w*|bypass|override)\b"
)
_FREES: Final = (
    r"\b(?:enter|enable|activate|switch to|you are (?:now )?in|this is)\s+(?:the\s+)?"
    r"(?:developer|debug|admin|maintenance|god|test|dan)[ -]mode\b|"
    r"\byou are (?:now )?(?:dan\b|unrestricted|jailbroken|no longer (?:bound|restricted|limited))"
)
# The requested text must be the agent's own too: asking for the instructions of a wardrobe is legitimate.
_EXTRACTS: Final = (
    r"\b(?:reveal|print|show|repeat|output|display|tell|give|leak|share|copy|paste|dump|recite|translate|summari[sz]e|"
    r"encode|what (?:is|are|was|were|does))\b[^.?!\n]{0,40}\b(?:your|the)\s+(?:(?:full|entire|complete|exact|own|"
    r"whole|actual)\s+)*(?:(?:system|developer|initial|hidden|secret)\s+(?:prompt|message|instructions?)s?|"
    r"(?:internal|original|confidential) (?:prompt|instructions)|(?:instructions?|text|words|everything) "
    r"(?:above|you were given before))\b|"
    r"(?:系统提示词?|系統提示|システムプロンプト|시스템 ?프롬프트)|"
    r"\b(?:systemprompt|prompt (?:del sistema|système|di sistema|do sistema)|invite système|системный промпт)\b"
)
# Arabic and Hindi have optional marks: overrides_folded.txt has only the plain form.
_FOLDED: Final[Mapping[int, str]] = {
    **dict.fromkeys((*range(0x64B, 0x660), 0x640, 0x670, 0x93C, 0x200C, 0x200D), ""),  # vowels, strokes, nukta, joiners
    **dict(zip(map(ord, "أإآٱىیکةؤئ\u0901"), "ااااييكهوي\u0902", strict=True)),
    **dict(zip(range(0x958, 0x960), "कखगजडढफय", strict=True)),  # precomposed letters with nukta
}
_FOLDS: Final = re.compile("[\u0600-\u06ff\u0900-\u097f]")  # whether a text has characters that are folded
_KINDS: Final = ("override", "hijack", "jailbreak", "extraction")
# Quoting such phrases or asking about their meaning is no attempt.
_ASKS_ABOUT: Final = re.compile(
    r"(?:[\"“‘'`«「『(]\s*|\b(?:phrase|words?|term|expression|directive|attack|attacks|like|called|explain|mean|means|"
    r"(?:assessment|interpretation|meaning) of|make of|interpret)\b[^.!?\n]{0,24})$",
    re.I,
)
_HINTED: Final = ("override", "hijack", "smuggling", "extraction", "jailbreak")
# The requested actions, in the languages of the phrases above.
_WISHES: Final[Mapping[str, str]] = {
    "cancel": r"cancel|取消|キャンセル|إلغاء|ألغ|الغاء|취소|annul|stornier|anular|отмен|iptal|रद्द|בטל",
    "refund": r"refund|reimburs|退款|返金|استرداد|استرجاع|환불|rembours|erstatt|reembols|rimbors|возврат|iade",
    "book": r"\bbook\b|reserve|purchase|\bbuy\b|预订一|购买|予約して|احجز|예약해|réserve[zr]|buche|reserva\b|prenota",
    "change": r"chang|modif|updat|reschedul|更改|修改|变更|変更|تغيير|عدل|변경|änder|cambia|измен",
    "add": r"\badd\b|enrol|添加|追加|أضف|추가|ajoute|hinzufüg|añad|добав",
    "remove": r"remov|delet|删除|削除|احذف|삭제|supprim|lösch|elimin|borra|удал",
    "send": r"send|mail it|forward|发送|送信|أرسل|보내|envo[iy]|schick|sende|enví|отправ",
    "pay": r"\bpay\b|charge|waive|discount|免除|折扣|خصم|할인|rabatt|remise|descuent|скидк",
    "file": r"\bopen a|\bcreate|\bfile a|创建|作成|أنشئ|만들",
}
_WISHED: Final = {kind: re.compile(pattern, re.I) for kind, pattern in _WISHES.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A takeover phrase: its kind, its span, and whether it is only mentioned."""

    kind: str
    start: int
    end: int
    mentioned: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """An attempt: the matched text, the whole decoded text, and what it asks for."""

    text: str
    whole: str
    kinds: frozenset[str]
    values: frozenset[str]


def shortened(message: str) -> str:
    """Return the message, or both ends of one that is too long."""
    half = _LETTERS // 2
    return message if len(message) <= _LETTERS else f"{message[:half]}\n{message[-half:]}"


def readings(message: str) -> tuple[str, ...]:
    """Return the normalised message, and every text hidden in it."""
    plain = normalise(shortened(message))
    return (plain.plain, *(view.text for view in views(plain)))


def attempts(text: str) -> Iterator[Attempt]:
    """Yield every attempt in one reading of a message, by its phrases alone."""
    for kind, start, end in _found(text):
        mentioned = _ASKS_ABOUT.search(text[max(0, start - 48) : start]) is not None
        mentioned = mentioned or (kind != "extraction" and _only_told(text, start, end))
        yield Attempt(kind=kind, start=start, end=end, mentioned=mentioned)


def override_in(texts: Sequence[str], labels: Mapping[str, float] | None = None, cut: float = 1.0) -> Override | None:
    """Return the attempt in the readings of one message: by phrase, or by a confident classifier."""
    for text in texts:
        found = next(((start, end) for kind, start, end in _found(text) if kind != "extraction"), None)
        if found is not None:
            return _override(_around(text, *found), text)
    if labels is not None and labels.get("injection", 0.0) >= cut and any(labels.get(kind) for kind in _HINTED):
        return _override(texts[-1][:200], "\n".join(texts))
    return None


def _found(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the kind and span of every attempt."""
    words, kinds = _words()
    for number, hit in words.find(text):
        yield kinds[number], hit.start(), hit.end()
    words, kinds = _folded_words()  # always built, so that the warm-up includes it
    if _FOLDS.search(text) is None:
        return
    places: list[int] = []
    for number, hit in words.find(translated(text, _FOLDED)):
        if not places:  # original offsets of the kept characters; rarely needed
            places = [at for at, letter in enumerate(text) if _FOLDED.get(ord(letter), letter)]
        yield kinds[number], places[hit.start()], places[hit.end() - 1] + 1


def _only_told(text: str, start: int, end: int) -> bool:
    """Whether the phrase is reported as someone else's words; never if it names the agent's own rules."""
    before, after, own = _tellings()
    if own.search(translated(text[start:end], _FOLDED)) is not None:
        return False
    ahead = translated(text[max(0, start - 64) : start], _FOLDED)
    return before.search(ahead) is not None or after.match(translated(text[end : end + 64], _FOLDED)) is not None


@cache
def _tellings() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return patterns for text before and after a reported phrase, and for the agent's own rules."""
    files = (wording("overrides.txt"), wording("overrides_folded.txt"))
    before, after, own = (
        "|".join(pattern for file in files for pattern in file[f"told {place}"]) for place in ("before", "after", "own")
    )
    return re.compile(rf"(?:{before})[\s:،,]*$", re.I), re.compile(after, re.I), re.compile(own, re.I)


@cache
def _words() -> tuple[Haystack, tuple[str, ...]]:
    """Return the attempt patterns with the kind of each: those above, and those in the file."""
    told = [*zip(_KINDS, (_DROPS, _HIJACKS, _FREES, _EXTRACTS), strict=True)]
    return _haystack([*told, *_told("overrides.txt")])


@cache
def _folded_words() -> tuple[Haystack, tuple[str, ...]]:
    return _haystack(_told("overrides_folded.txt"))


def _told(file: str) -> list[tuple[str, str]]:
    more = wording(file)
    return [(kind, pattern) for kind in _KINDS for pattern in more.get(kind, ())]


def _haystack(told: Sequence[tuple[str, str]]) -> tuple[Haystack, tuple[str, ...]]:
    return Haystack(tuple(pattern for _, pattern in told)), tuple(kind for kind, _ in told)


def _override(text: str, whole: str) -> Override:
    kinds = frozenset(kind for kind, pattern in _WISHED.items() if pattern.search(whole))
    return Override(text=text, whole=whole, kinds=kinds, values=specifics(whole))


def _around(text: str, start: int, end: int) -> str:
    return text[max(0, start - 40) : end + 160].strip()
