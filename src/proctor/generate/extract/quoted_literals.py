"""Texts that a sentence of any language quotes, and what it asks of them: begin, end, contain, never contain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from proctor.generate.extract.quantity_words import NEGATION
from proctor.generate.extract.reply_words import LITERAL_LINE, ONLY
from proctor.text.lazy_pattern import Lazy

__all__ = ["END", "START", "LiteralRole", "QuotedRun", "find_runs", "is_begun", "literal_role"]

Role = Literal["start", "end", "contain", "ban", "not start", "not end"]
_QUOTE: Final = re.compile(
    r"„([^“”\"\n]{1,300})[“”\"]|“([^”\n]{1,300})”|\"([^\"\n]{1,300})\"|«\s*([^»\n]{1,300}?)\s*»|‹([^›\n]{1,300})›|"
    r"「([^」\n]{1,300})」|『([^』\n]{1,300})』|`([^`\n]{1,300})`|‘([^’\n]{2,200})’(?!\w)|"
    r"(?<!\w)'([^'\n]{2,200})'(?!\w)|"
    # A currency sign, an emoji, a web address and a telephone number mean themselves.
    r"(?<!\S)([$€£¥₹\U0001F300-\U0001FAFF☀-➿])(?=[\s,.;:)]|$)|"
    r"(?<![\w/@.])([a-z0-9-]+(?:\.[a-z0-9-]+)+/[\w/-]+|\d{3}[- ]\d{3}[- ]\d{4})(?![\w@])"
)
_BETWEEN: Final = re.compile(
    r"\s*(?:[,、，/]\s*)?(?:and|or|nor|und|oder|noch|et|ou|ni|y|o|u|e|é|nem|né|en|of|i|a|ani|nebo|och|eller|"
    r"og|ve|veya|ile|dan|atau|và|hoặc|ja|tai|și|sau|és|vagy|та|або|чи|و|أو|या|और|и|или|와|과|및|또는|혹은|이나|나|和|或|と|"
    r"や)?\s*(?:the\s+)?",
    re.IGNORECASE,
)
START: Final = Lazy(
    r"\b(?:leading|führend\w*|(?:starts?|starting|begins?|beginning|opens?|opening)(?! by\b)|"
    r"(?:prefix|preface)\w*(?= (?:the |your |every |each )?(?:answer|response|reply|output|message))|"
    r"beginn\w*|anfang\w*|"
    r"fang\w*|start\w*|einleit\w*|commenc\w*|débute\w*|empiez\w*|comienz\w*|comenz\w*|inici\w*|empez\w*|começ\w*|"
    r"comece\w*|inizi\w*|cominci\w*|begin\w*|nachin\w*|начин\w*|начн\w*|rozpocz\w*|zaczyn\w*|zaczn\w*|začín\w*|"
    r"začni\w*|börja\w*|inled\w*|begynd\w*|почин\w*|почн\w*|mulai\w*|diawali|bắt đầu|ξεκίν\w*|kezd\w*|aloita\w*|"
    r"alka\w*|încep\w*)\b|(?:يبدأ|تبدأ|ابدأ|ابدئي)|以(?=\s*$)|开头|开始|首先写|書き出し|冒頭",
    re.IGNORECASE,
)
END: Final = Lazy(
    r"\b(?:ends?|ending|finish\w*|conclud\w*|close[sd]?|closing|sign(?:s|ed)?(?:[- ]off)?|schließ\w*|schluss\w*|"
    r"beend\w*|ende\w*|unterschreib\w*|unterzeichn\w*|abschluss\w*|termin\w*|conclu\w*|finiss\w*|finis\b|signez|"
    r"signe|acab\w*|cierr\w*|finaliz\w*|firm[ae]\w*|encerr\w*|assin\w*|chiud\w*|concludi\w*|finisc\w*|firma\w*|"
    r"eindig\w*|sluit\w*|заверш\w*|заканч\w*|законч\w*|zakończ\w*|kończ\w*|konč\w*|zakonč\w*|ukonč\w*|sluta\w*|"
    r"avslut\w*|slut\w*|afslut\w*|закінч\w*|akhiri|diakhiri|kết thúc|τελειών\w*|zárul\w*|fejez\w*|lopeta\w*|pääty\w*|"
    r"înche\w*|termină|bit(?:er|sin|ir|iyor)|"
    r"followed by|gefolgt von|suivie? de|seguid[ao]s? de|seguit[ao] da)\b|(?:تنتهي|ينتهي|اختم|يختم)|"
    r"最后|结尾|结束|末尾|最後|終わり|締め|署名",
    re.IGNORECASE,
)
_HOLD: Final = Lazy(
    r"\b(?:includ\w*|contain(?:s|ed|ing)?|mention\w*|add(?:s|ed|ing)?|append\w*|insert\w*|enthalt\w*|enthält|erwähn\w*|füge?\w*|"
    r"ergänz\w*|inclu\w*|conten\w*|contien\w*|ajout\w*|mencion\w*|añad\w*|agreg\w*|contenh\w*|contém|conter|"
    r"acrescent\w*|adicion\w*|includ\w*|contener\w*|contenga|aggiung\w*|bevat\w*|voeg\w*|(?:use|using|write|say|put|"
    r"with) the (?:word|phrase|sentence|line|disclaimer|text))\b|包含|加上|写上|注明|含",
    re.IGNORECASE,
)
_LOOSE: Final = Lazy(
    r"\b(?:like|such as|e\.g\.?|for example|for instance|similar to|wie(?: etwa| zum beispiel)?|z\. ?b\.|comme|"
    r"par exemple|como|"
    r"por ejemplo|por exemplo|come|ad esempio|zoals|bijvoorbeeld|например)\s*:?\s*$|比如|例如|如(?=\s*$)|など\s*$",
    re.IGNORECASE,
)
_JOINED: Final = Lazy(
    r"(?:的?(?:开头|开始|起头))|で(?:始|はじ|書き始)|から始|(?:으로|로)\s*(?:시작|연다)|"
    r"\s*ile\s+(?:\w+\s+)?(?:başla|aç)\w*|\s*से\s+शुरू",
    re.IGNORECASE,
)
_CLOSED: Final = Lazy(
    r"(?:的?(?:结尾|结束|收尾))|(?:という\S{1,6})?で(?:終|締め|おわ|しめ)|と(?:書|書き|記)\w*(?:終|締)|(?:으로|로|"
    r"라고)?\s*(?:끝|마무리|맺)|\s*ile\s+(?:\w+\s+)?(?:bit|sona)\w*|\s*(?:से|पर)\s+(?:समाप्त|खत्म)",
    re.IGNORECASE,
)
_LAST: Final = Lazy(r"(?:最後|末尾|文末|最后|结尾|마지막|끝에)", re.IGNORECASE)
_FORMED: Final = Lazy(
    r"\b(?:form|format|pattern|forme|forma|formato|muster|vorm)\b|格式|形式",
    re.IGNORECASE,  # an example of a form, not the text
)
_BANNED: Final = Lazy(
    r"(?:など(?:の\S{1,6}?)?|等)?(?:は|を|の使用は|という\S{1,4}?(?:は|を))?(?:一切)?(?:使用)?(?:禁止|使わない|"
    r"使わぬ|使いません|使用しない|使わず|書かない|避け)|(?:이?라는 (?:말|단어|표현)|같은 (?:말|단어|표현)|등)?(?:은|"
    r"는|을|를)?\s*(?:절대 )?(?:(?:쓰|사용하|넣|언급하)지\s*(?:않|말|마)|금지)|(?:gibi (?:\w+ ){0,2})?(?:kelime\w*|"
    r"sözcük\w*|söz\w*|ifade\w*)?\s*(?:kullanma\w*|geçmesin|yazma\w*|olmasın|yasak)|(?:जैसे )?(?:शब्द\w*\s*)?(?:का "
    r"(?:प्रयोग|उपयोग|इस्तेमाल) )?(?:न|नहीं|मत)\s|(?:is|are|ist|sind|est|sont|es|son|é|são|è|sono) (?:forbidden|"
    r"prohibited|banned|not (?:allowed|to be used|permitted)|never (?:used|allowed)|nicht (?:erlaubt|zu verwenden)|"
    r"off[- ]limits|taboo|tabu|verboten|interdit\w*|bannie?s?|prohibid\w*|proibid\w*|vietat\w*|bandit[aeio])|"
    r"(?:er|är|są|jsou|są) (?:bandlyst\w*|forbud\w*|förbjud\w*|zakazan\w*|zakázan\w*)|(?:(?:sind|werden|are|sont|devem "
    r"ser|vanno|zijn)\s+(?:to be |zu |à )?)?(?:vermeid\w*|vermieden|avoided|éviter|evitad[ao]s|evitat[ei]|vermijd\w*|"
    r"vermeden|passen nicht)\b",
    re.IGNORECASE,
)
# ``The words "a" and "b" must not appear``
_WORD: Final = Lazy(
    r"\b(?:words?|phrases?|terms?|expressions?|wort|wörter\w*|worte|ausdr[uü]ck\w*|mots?|expression|palabras?|"
    r"palavras?|parol[ae]|woord\w*|słow\w+|ord\w*|слов\w*|слів|kelime\w*|slov\w*|letters?|buchstaben?|lettres?|"
    r"letras?|lettere|"
    r"літер\w*|букв\w*|bogstav\w*|bokst[aä]v\w*|liter\w*)\s*[:：]?\s*$|词语?|言葉|語|字",
    re.IGNORECASE,
)
_UNUSED: Final = Lazy(rf"\s*(?:[^\W\d_]+\s+){{0,3}}?{NEGATION}", re.IGNORECASE)
# Between a negation and a quotation, a comma that other words follow begins another phrase.
_SECOND_PHRASE: Final = re.compile(r"\W*\w[^,，、]*[,，]\s*[^\W\d_]")
_CONTRAST: Final = re.compile(
    r"\b(?:but|instead|sondern|sino|mas|ma|then|dann|alors|entonces|então|allora|dan|wtedy)\b|则|就"
)
_VERB_NEXT: Final = Lazy(
    r"\s*(?:ever |should |must |may |to |doit |debe |deve |dürfen |darf )*(?:be\b|use|using|verwend|"
    r"utilis|usa|usar|gebruik)",
    re.IGNORECASE,
)
_RELATIVE: Final = Lazy(
    r"(?:\b(?:that|which)|,\s*(?:der|die|das|welche[rs]?|som|der|die|dat|qui|który|która|które|котор\w+|що|як\w+|který|"
    r"která|které|aki|amely))\s+(?:[^\W\d_]+\s+){0,2}$|\b(?:qui|que|che|die|dat|som)\s+$",
    re.IGNORECASE,
)
_LONGEST_DENIED: Final = 9  # words between a negation and the text that it is of
_NEAR_VERB: Final = 18  # characters
_LONGEST_HEAD: Final = 12  # words between a verb and the text that it is about
_TEMPLATE: Final = re.compile(r"\[[^\]]+\]|<[^<>]+>|\{[^{}]+\}|\.\.\.|…|_{2,}|\b[XYZN]{1,4}\b|->|→")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedRun:
    """Quoted texts that belong together: ``"a", "b" or "c"``; ``start`` and ``end`` enclose them."""

    texts: tuple[str, ...]
    start: int
    end: int
    either: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LiteralRole:
    """What is asked of a run, and from where on the sentence says so; ``loose`` is whether it only gives examples."""

    role: Role
    start: int
    loose: bool = False


def find_runs(text: str) -> Iterator[QuotedRun]:
    """Yield the runs of quoted texts; those with a placeholder are left out."""
    found = [
        (match.start(), match.end(), next(group for group in match.groups() if group))
        for match in _QUOTE.finditer(text)
    ]
    at = 0
    while at < len(found):
        stop = at + 1
        joints = ""
        while stop < len(found) and (joint := _BETWEEN.fullmatch(text, found[stop - 1][1], found[stop][0])):
            joints += joint.group()
            stop += 1
        texts = tuple(words.strip("~～") or words for _, _, words in found[at:stop])  # ``~`` stands for other words
        if not any(_TEMPLATE.search(words) for words in texts):
            either = bool(
                re.search(
                    r"\b(?:or|oder|ou|o|of|или|lub|nebo|eller|veya|atau|hoặc|tai|sau|vagy|або)\b|或|أو|या|이나|또는|혹은",
                    joints,
                    re.IGNORECASE,
                )
            )
            yield QuotedRun(texts=texts, start=found[at][0], end=found[stop - 1][1], either=either)
        at = stop
    line = None if found else LITERAL_LINE.search(text)
    if line and not _TEMPLATE.search(line["line"]):
        yield QuotedRun(texts=(line["line"],), start=line.start("line"), end=line.end("line"))


def is_begun(text: str, run: QuotedRun) -> bool:
    """Whether the words right before a run say that something begins with it, whatever that is."""
    return START.search(text[max(0, run.start - _NEAR_VERB) : run.start]) is not None


def literal_role(text: str, run: QuotedRun) -> LiteralRole | None:
    """Return what the words around a run ask of it; None where they ask nothing that is sure."""
    begin = max(text.rfind(mark, 0, run.start) for mark in (".", ";", "。", "；", "!", "("))
    head = text[begin + 1 : run.start]
    last_quote = max((head.rfind(mark) for mark in '"”“»」』`'), default=-1)
    head_from = begin + 1 + (last_quote + 1)
    head, tail = text[head_from : run.start], text[run.end : run.end + 20]
    loose = _LOOSE.search(head) is not None or re.match(r"\s*(?:等|など|etc)", tail) is not None
    if _BANNED.match(text[run.end : run.end + 40].lstrip()) or (_WORD.search(head) and _UNUSED.match(tail)):
        return LiteralRole(role="ban", start=run.start)
    if _JOINED.match(tail.lstrip()):
        return LiteralRole(role="start", start=run.start)
    if _CLOSED.match(tail.lstrip()) or (_LAST.search(head) and re.match(r"\s*(?:と|이?라고)", tail)):
        return LiteralRole(role="end", start=run.start)
    return _role_before(head, head_from, loose=loose)


def _role_before(head: str, head_from: int, *, loose: bool) -> LiteralRole | None:
    """Return what the words before a run, which begin at an offset, ask of it."""
    denied = [match for match in re.finditer(NEGATION, head, re.IGNORECASE)]
    roles = [
        (match.start(), role)
        for role, pattern in (("start", START), ("end", END), ("contain", _HOLD))
        for match in pattern.finditer(head)
    ]
    if denied and not any(role in ("start", "end") for _, role in roles):
        between = head[denied[-1].end() :]
        if not _governs(between):
            return None
        return LiteralRole(role="ban", start=head_from + denied[-1].start(), loose=loose)
    relative = any(_RELATIVE.search(head[:at]) for at, role in roles if role != "contain")
    if loose or not roles or relative or _FORMED.search(head):
        return None  # ``a paragraph that begins with`` is about one of them
    ends = [each for each in roles if each[1] != "contain"]
    at, role = max(ends or roles)  # ``close with the line``
    if denied:  # ``Don't start with``; between the two stands nothing else
        near = len(denied) == 1 and re.fullmatch(r"\W*(?:[^\W\d_]+\W+)?", head[denied[-1].end() : at])
        at, role = (denied[-1].start(), f"not {role}") if near and ends else (at, "")
    if not role or len(head[at:].split()) > _LONGEST_HEAD:
        return None
    return LiteralRole(role=role, start=head_from + at)  # type: ignore[arg-type]


def _governs(between: str) -> bool:
    """Whether a negation is of the text that follows these words.

    It is not in ``no names, "VN" instead``, nor in ``A section without findings contains "None."``.
    """
    held = _HOLD.search(between)
    if held and between[: held.start()].split() and not _VERB_NEXT.match(between):
        return False
    if re.match(r"\s*[,，]\s*\w+\s+\w", between):
        return False  # ``Er der ingen, skriver du "…"``
    apart = _SECOND_PHRASE.match(between) or _CONTRAST.search(between)
    return (
        len(between.split()) <= _LONGEST_DENIED
        and not apart
        and not re.search(rf"\b{ONLY}\W*$", between, re.IGNORECASE)
    )
