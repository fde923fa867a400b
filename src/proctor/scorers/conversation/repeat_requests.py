"""Detect by wording whether a message repeats a request, accepts, refuses or shows a way forward."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from proctor.text.claims import statements
from proctor.text.content_words import content
from proctor.text.numbers import find_numbers
from proctor.text.split import tokens

__all__ = [
    "accepts",
    "asks_to_repeat",
    "complains",
    "has_way_forward",
    "is_unhelpful",
    "likeness",
    "refuses",
    "same_matter",
    "whole",
]

_COMPLAINS: Final = re.compile(
    r"\b(?:(?:i )?(?:already|just) (?:asked|told|said|explained)|asked (?:you )?(?:this|that|the same|before"
    r"|already|twice|three)"
    r"|(?:you|that|this) (?:did(?:n['’]t| not)|do(?:n['’]t| not)|does(?:n['’]t| not)|are(?:n['’]t| not)"
    r"|have(?:n['’]t| not)|has(?:n['’]t| not)) (?:\w+ )?"
    r"(?:answer|help|listen|understand|solve|read|address)\w*"
    r"|not what i (?:asked|said|meant|want)|(?:same|my) question|as i said|for the (?:second|third|last|\w+th) time"
    r"|(?:asking|ask|say|repeat\w*) (?:you |myself |it |this )?again|once again|once more,|going (?:in"
    r"|around in|round in) circles"
    r"|keep (?:saying|repeating|telling)|still (?:have(?:n['’]t| not)|not|waiting|no answer|don['’]t)|useless"
    r"|ridiculous|frustrat\w+|stop repeating"
    r"|that(?:['’]s| is) no(?:t an?)? (?:help|answer))\b"
    r"|さっき(?:も|から)|何度も|もう一度聞き|答えになって|質問に答え|同じこと(?:を|ばかり)|聞いているのは|そうではなく",
    re.IGNORECASE,
)
_ACCEPTS: Final = re.compile(
    r"^\W*(?:(?:oh|ah|hmm|well)[, ]+)?(?:ok(?:ay)?|thanks?|thank you|great|perfect|got it|understood"
    r"|i understand|i see|fine|alright|all right|that(?:['’]s| is)"
    r" (?:fine|ok(?:ay)?|great|all|good|helpful|perfect|clear)|no problem|never ?mind|makes sense|fair enough"
    r"|good to know|that works|that helps|appreciate"
    r"|cheers|wonderful|awesome|no,? (?:that(?:['’]s| is)|thanks|thank you|nothing|i['’]m good|all good)|bye"
    r"|goodbye|have a|i appreciate|sounds good)\b"
    r"|^(?:ありがとう|了解|わかりました|分かりました|承知|大丈夫です|なるほど|助かりました|結構です)",
    re.IGNORECASE,
)
_REPEAT: Final = re.compile(
    r"\b(?:repeat|say (?:that|it) again|come again|pardon|once more|again,? please|what did you say|remind me"
    r"|recap|summari[sz]e|confirm again)\b"
    r"|もう一度|繰り返し|再度",
    re.IGNORECASE,
)
_UNHELPFUL: Final = re.compile(
    r"\b(?:i(?:['’]m| am) (?:sorry|afraid),?(?: but)? i (?:did(?:n['’]t| not)|do(?:n['’]t| not)|could(?:n['’]t"
    r"| not)) (?:quite )?(?:understand|get|catch|follow|find|have)"
    r"|(?:please |could you (?:please )?|can you (?:please )?)(?:rephrase|try again|be more specific|clarify)"
    r"|i do(?:n['’]t| not) (?:have|know|understand)"
    r"|(?:visit|check|see|refer to|browse) (?:our|the) (?:website|site|help (?:page|cent(?:er|re))|faq|app)"
    r"|(?:i['’]m|i am) (?:just )?an? (?:virtual|ai|automated)"
    r"|something went wrong|try again later|out of my|beyond my|is there anything else)\b"
    r"|わかりかね|理解できません|もう一度(?:入力|お試し|ご入力)|ウェブサイトをご(?:確認|覧)|公式サイトをご",
    re.IGNORECASE,
)
_REFUSES: Final = re.compile(
    r"\b(?:(?:i|we)(?:['’]m| am|['’]re| are)? (?:sorry,? (?:but )?(?:i|we) )?(?:can(?:not|['’]t| not)|(?:am "
    r"|are )?unable to|(?:am |are )?not able to|won['’]t be able to|will not be able to|am not allowed"
    r"|are not allowed)"
    r"|(?:that|this|it)(?:['’]s| is) (?:not possible|impossible|not something (?:i|we)|outside (?:of )?(?:my"
    r"|our)|beyond (?:my|our)|against (?:our|the) policy)"
    r"|(?:is|are)(?: not|n['’]t) (?:eligible|possible|available|refundable|allowed|permitted|covered|offered|something)"
    r"|(?:non-?refundable|not refundable|no refunds?|cannot be (?:refunded|changed|cancell?ed|modified"
    r"|processed|done|approved|completed))"
    r"|(?:i|we) do(?:n['’]t| not) (?:have|offer|provide|accept|support|handle|know|give|do)"
    r"|(?:your )?request (?:has been|is|was) (?:denied|declined|rejected|refused))\b"
    r"|(?:対応|お受け|ご案内|返金|変更|キャンセル|お答え|ご利用|提供|お手伝い)[^。]{0,8}(?:できません"
    r"|できかねます|いたしかねます|致しかねます|不可能です)|対象外(?:です|となります|でございます)|承れません"
    r"|わかりかねます",
    re.IGNORECASE,
)
_WAY: Final = re.compile(
    r"https?://|www\.|[\w.+-]+@[\w-]+\.\w|\b\d{3}[-. ]\d{3,4}[-. ]\d{4}\b|0\d{1,3}-\d{2,4}-\d{4}"
    r"|\b(?:instead|alternativ\w*|however,? (?:you|i|we)|you (?:can|could|may|might|will be able)|you(?:['’]re"
    r"| are) (?:welcome|eligible|able) to"
    r"|(?:i|we)(?:['’]ll| will| can| could|['’]ve| have|['’]d| would)(?! not|n['’]t)(?: also| still| gladly"
    r"| happily| be happy to| be glad to| like to| gone ahead and)* (?:transfer|connect|escalat|hand|pass"
    r"|forward|open|creat|rais|fil|submit|check"
    r"|look|help|offer|suggest|recommend|arrang|book|chang|send|issue|process|cancel|contact|ask|note|log|find"
    r"|search|walk|show|provid|assist|add|updat|explain|refer|put)\w*"
    r"|let me (?!know if)|would you (?:like|prefer)|do you want|shall i|should i|(?:please |to )(?:contact|call"
    r"|e-?mail|reach out|visit|go to|provide|send|share|try|select|choose|log in|sign in|check|speak)"
    r"|(?:contact|call|speak (?:to|with)|reach(?: out to)?) (?:our|the|us|your|customer|an?)|human (?:agent"
    r"|colleague|representative)|live agent|(?:a|our|my) (?:colleague|specialist|manager|supervisor|team)"
    r"|transfer(?:red|ring)? you|one option|options?(?: (?:are|is|include|would))?:?|next steps?|what (?:i|you"
    r"|we) can do|up to|until \w+|as an? (?:exception|alternative)|within \d+|if you(?:['’]d| would)? (?:like"
    r"|prefer|wish|want|need)"
    r"|in the meantime|we do (?:have|offer|accept)|(?:just |please )?try (?:a|an|the|our|another|again with)"
    r"|there(?:['’]s| is| are) (?!no\b|not\b|nothing)|another (?:date|time|tour|option|flight|day|product|way)"
    r"|different (?:date|time|tour|option|flight|product)|could you (?:please )?(?!rephrase)\w+"
    r"|can you (?:please )?(?!rephrase)\w+|may i|which|what (?:is|are|was|date|would|did|kind))\b"
    r"|代わりに|代替|または|の方法|お問い合わせ(?:ください|先|窓口)|ご連絡ください|おつなぎ|お繋ぎ|担当(?:者"
    r"|部署)(?:に|へ|が|から)|ください|いかがでしょう|いたしましょうか|可能です|できます|承ります|承って|お調べ"
    r"|ご提案|でしたら",
    re.IGNORECASE,
)
_CLOSING: Final = re.compile(
    r"\b(?:is there (?:anything|something) else|anything else (?:i|we) can|(?:can|may) i (?:help"
    r"|assist) (?:you )?with (?:anything|something) else|let me know if (?:you|there)"
    r"|feel free to (?:ask|reach|let|contact)|have a (?:nice|great|good|lovely|wonderful)"
    r"|thank you for (?:your (?:understanding|patience)|contacting|reaching)|how else|if you (?:have"
    r"|need) any(?:thing)? (?:else|other|further|more|questions))"
    r"|ほかに(?:何か|ご)|他に(?:何か|ご)|ご不明な点|ご理解|ご了承",
    re.IGNORECASE,
)
_SMALL: Final = 3


def complains(text: str) -> bool:
    """Whether the customer says that the previous answer did not help."""
    return _COMPLAINS.search(text) is not None


def accepts(text: str) -> bool:
    """Whether the customer is satisfied or says goodbye."""
    return _ACCEPTS.search(text.strip()) is not None and not complains(text)


def asks_to_repeat(text: str) -> bool:
    """Whether the customer asks for a repetition."""
    return _REPEAT.search(text) is not None


def is_unhelpful(answer: str) -> bool:
    """Whether the answer has no content: it did not understand, points elsewhere, or has nothing."""
    return _UNHELPFUL.search(answer) is not None or (refuses(answer) is not None and not has_way_forward(answer))


def refuses(answer: str) -> str | None:
    """Return the first sentence that refuses something, if any."""
    for each in statements(answer, most=40):
        if each.kind != "question" and _REFUSES.search(each.text):
            return each.text
    return None


def has_way_forward(answer: str) -> bool:
    """Whether the answer shows a way forward: another choice, a link, a person, a next step or a question.

    A closing phrase ("is there anything else?") does not count; nor does the refusal itself.
    """
    for each in statements(answer, most=60):
        text = _CLOSING.sub(" ", each.text)
        if text != each.text and len(content(text)) < _SMALL:
            continue
        if _WAY.search(_REFUSES.sub(" ", text)):
            return True
    return False


def likeness(one: str, other: str) -> float:
    """Return the Jaccard similarity of the content words of two texts."""
    left, right = content(one), content(other)
    return len(left & right) / len(left | right) if left | right else float(whole(one) == whole(other))


def whole(text: str) -> str:
    """Return the normalised words of a text, for equality tests."""
    return " ".join(tokens(unicodedata.normalize("NFKC", text)))


def same_matter(one: str, other: str) -> bool:
    """Whether the two do not name different numbers or different names."""
    numbers = [{each.value for each in find_numbers(text)} for text in (one, other)]
    if numbers[0] and numbers[1] and not numbers[0] & numbers[1]:
        return False
    names = [_names(text) for text in (one, other)]
    return not (names[0] and names[1] and not names[0] & names[1])


def _names(text: str) -> set[str]:
    """Return capitalised words inside a sentence, codes, and runs of katakana."""
    found = set(re.findall(r"(?<=[a-z,'’] )[A-Z][\w-]+", text)) | set(re.findall(r"\b[A-Z]{1,5}-?\d{2,}\w*\b", text))
    found |= set(re.findall(r"[\u30a1-\u30fa\u30fc]{3,}", text))
    return {name.casefold() for name in found if name not in ("I",)}
