"""The language that a sentence of any language asks the answer to be in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.generate.extract.conditions import blanked
from proctor.generate.extract.quantity_words import NEGATION
from proctor.text.lazy_pattern import Lazy

__all__ = ["find_language"]

# How languages are called in other languages and in their own; each is a stem.
_NAMES: Final[tuple[tuple[str, str], ...]] = (
    ("en", r"englisc?h|anglais|ingl[eé]s[e]?|ingl[eê]s|engels|angielsk\w*|английск\w*|anglick\w*|engelsk\w*|"
r"ingilizce|英文|英语|英語|영어|الإنجليزية"),
    ("de", r"german|deutsch\w*|allemand|alem[aá]n|alemão|tedesco|duits|niemieck\w*|немецк\w*|německ\w*|tyska?|"
r"almanca|德语|德文|ドイツ語|독일어"),
    ("fr", r"french|französisch|français|franc[eé]s|francês|francese|frans|francusk\w*|французск\w*|fransk?a|"
r"fransızca|法语|法文|フランス語|프랑스어"),
    ("es", r"spanish|spanisch|espagnol|español|castellano|espanhol|spagnolo|spaans|hiszpańsk\w*|испанск\w*|西班牙语|"
r"スペイン語|스페인어"),
    ("it", r"italian|italienisch|italien|italiano|italiaans|włosk\w*|итальянск\w*|意大利语|イタリア語|이탈리아어"),
    ("pt", r"portuguese|portugiesisch|portugais|portugués|português|portoghese|portugees|portugalsk\w*|"
r"葡萄牙语|ポルトガル語"),
    ("nl", r"dutch|niederländisch|néerlandais|neerland[eé]s|holandês|olandese|nederlands|荷兰语|オランダ語"),
    ("pl", r"polish|polnisch|polonais|polaco|polonês|polacco|pools|polsku|polskim|польск\w*|波兰语|ポーランド語"),
    ("cs", r"czech|tschechisch|česky|češtině|čeština|捷克语"),
    ("sv", r"swedish|schwedisch|suédois|sueco|svedese|zweeds|svenska|瑞典语"),
    ("da", r"danish|dänisch|danois|dansk"),
    ("ru", r"russian|russisch|russe|ruso|russo|rosyjsk\w*|русск\w*|俄语|ロシア語|러시아어"),
    ("uk", r"ukrainian|ukrainisch|українськ\w*"),
    ("tr", r"turkish|türkisch|turc|turco|türkçe|土耳其语"),
    ("ar", r"arabic|arabisch|arabe|árabe|(?:ال)?عربية|阿拉伯语"),
    ("fa", r"persian|farsi|فارسی"),
    ("he", r"hebrew|עברית"),
    ("hi", r"hindi|हिं?दी|हिन्दी|印地语"),
    ("id", r"indonesian|bahasa indonesia"),
    ("vi", r"vietnamese|tiếng việt|越南语"),
    ("th", r"thai|ภาษาไทย|泰语"),
    ("el", r"greek|griechisch|ελληνικ[άα]"),
    ("ja", r"japanese|japanisch|japonais|japon[eé]s|japonês|giapponese|japans|японск\w*|japonca|日语|日文|"
r"日本語|일본어"),
    ("zh", r"(?:simplified )?chinese|chinesisch|chinois|chino|chinês|cinese|chinees|китайск\w*|(?:简体)?中文|"
r"汉语|中国語|중국어"),
    ("ko", r"korean|koreanisch|coréen|coreano|koreaans|韩语|韓国語|한국어"),
)  # fmt: skip
_ALL: Final = "|".join(rf"(?P<{code}_>{names})" for code, names in _NAMES)
_KIND: Final = (
    r"(?:(?:the|british|american|plain|simple|clear|correct|modern|standard|natural|formal|das|het|el|o|il|le)\s+)*"
)
_OF_TEXT: Final = (
    r"(?:generat|creat|produc|compos|draft|texts?\b|answer|respon[ds]|repl(?:y|ies)|writ|output|summar|speak|"
    r"everything|all\b|text\b|translat|antwort|schreib|ausgabe|alles|répon[ds]|rédige|écri|tout|respon[da]|contest|"
    r"escrib|redact|tod[oa]|escrev|redij|tud[oa]|rispon|scriv|tutt[oa]|testo|antwoord|schrijf|alles|odpowi|pisz|отве|"
    r"пиш|svara|skriv|odpov|piš|yaz|cevap|اكتب|أجب|लिख|जवाब|बोल|回答|回复|输出|书写|撰写|全文|答|出力|書|返|쓰|작성|"
    r"답)"
)
# ``in French``, ``po polsku``, ``日本語で``: the name with the word that makes it the language of a text.
_IN: Final = Lazy(
    rf"(?:(?:\b(?:in|into|to|auf|ins?|en|em|op|på|i|po|v|на|по-?|في|بال)\s*{_KIND})|(?:(?<!不)(?<!不要)(?:用|"
rf"使用)|以|翻译成|译成|译为|写成))(?:{_ALL})"
    rf"(?![^\W\d_一-鿿ぁ-ヿ가-힯])|(?<![^\W\d_一-鿿ぁ-ヿ])(?:{_ALL.replace('_>', '2>')})(?:で|にて|"
rf"に(?:翻訳|訳)|の(?:本文|文章|"
rf"訳文)|로|에서|\s+(?:में|dilinde|olarak)|(?=\s*ve\s|\s+yaz|\s+ol))"
    rf"|\b(?:write|writes|use|speak|schrijf|parle)\s+(?:only |alleen "
rf")?{_KIND}(?:{_ALL.replace('_>', '3>')})(?!\w)|\b(?:{_ALL.replace('_>', '4>')})\s+(?:only|nur|"
rf"seulement)\b",
    re.IGNORECASE,
)  # fmt: skip
# ``even if the text is in Spanish``: what the input is in does not matter.
_CONCEDED: Final = Lazy(
    r"(?:\b(?:even (?:if|when|though)|regardless|no matter|whatever|auch wenn|selbst wenn|egal|même (?:si|quand|"
    r"lorsque)|quelle que|aunque|incluso (?:si|cuando)|mesmo (?:que|se|quando)|ainda que|anche (?:se|quando)|ook als|"
    r"även om|i když|nawet (?:jeśli|gdy)|даже если|selv om)\b|حتى لو|即使|哪怕|でも|더라도).*$",
    re.IGNORECASE | re.DOTALL,
)
_OTHER: Final = Lazy(
    r"\b(?:from|input|source|original|words?|terms?|spelling|names?|term[oe]s?|wörter|mots|palabras|palavras|parole|"
    r"woorden|is in|are in|written in|comes? in|asks? in|writes? (?:to you )?in)\b[^.;,]{0,30}$",
    re.IGNORECASE,
)
_SAME: Final = Lazy(
    r"\b(?:in|dans|en|em|na|in der|nella|in de)\s+(?:the |la |el |a )?(?:same|gleichen|selben|même|misma?|"
r"mesm[ao]|stess[ao]|zelfde)\s+"
    r"(?:language|sprache|langue|lengua|idioma|língua|lingua|taal)\b|\b(?:in|dans|en|em|na|no|nella|in "
r"der|in de) (?:the |la |el |o |a )?"
    r"(?:language|sprache|langue|lengua|idioma|língua|lingua|taal) (?:of|used by|in which|that|der|des|de|"
r"del|do|da|in cui|van) (?:the |la |las? |el |l['’])?"
    r"(?:(?:last |latest |final )?\w+['’]s )?(?:last |latest )?(?:user|input|question|customer|message|"
r"text|writer|letter|client\w*|cliente|usuario|usuári\w+|utente|nutzer\w*|kunden|gebruiker|klant)\b|"
    r"\bin (?:the )?(?:user|customer|client|guest|writer|reader|sender|original)['’]s (?:own )?language\b",
    re.IGNORECASE,
)  # fmt: skip
_VARIABLE: Final = Lazy(
    r"(?:\b(?:in|into|to|auf|ins|en|em|op|på)|用|以)\s*\{\{\s*(?P<name>\w*(?:lang|locale|idioma|sprache|"
    r"taal|lingua)\w*)\s*\}\}",
    re.IGNORECASE,
)
_BRIEF: Final = 9  # words of a sentence that needs no verb: ``In French.``
_SECOND: Final = Lazy(
    r"\s*(?:,|/|\band\b|\bor\b|\bund\b|\boder\b|\bet\b|\bou\b|\by\b|\bo\b|\be\b|和|或|か|と)\s*", re.IGNORECASE
)


def find_language(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the predicate of the language that a sentence asks for, with where it does."""
    text = blanked(_CONCEDED, text)
    if match := _VARIABLE.search(text):
        yield f'language is the input "{match["name"]}"', match.start(), match.end()
        return
    if match := _SAME.search(text):
        if not re.search(NEGATION, text[: match.start()], re.IGNORECASE):
            yield "same language as the input", match.start(), match.end()
        return
    found = [match for match in _IN.finditer(text) if not _is_other(text, match)]
    codes = {next(name for name, said in match.groupdict().items() if said)[:2] for match in found}
    if len(codes) != 1:
        return
    match = found[0]
    asked = re.search(_OF_TEXT, text, re.IGNORECASE) is not None or len(text.split()) <= _BRIEF
    if asked:
        yield f"language is {codes.pop()}", match.start(), match.end()


def _is_other(text: str, match: re.Match[str]) -> bool:
    """Whether a language is not that of the whole answer: it is denied, one of several, or of something else."""
    before, after = text[: match.start()], text[match.end() :]
    if before.strip() and re.search(r"[(（][^()（）]*$", before) and re.match(r"[^()（）]*[)）]", after):
        return True  # ``18:30 Uhr (auf Englisch 18:30)``
    denied = re.search(rf"{NEGATION}[^.;,]{{0,40}}$", before, re.IGNORECASE)
    joint = _SECOND.match(after)
    several = joint is not None and re.match(_ALL.replace("_>", "9>"), after[joint.end() :], re.IGNORECASE)
    told_of = re.match(r"\s+(?:is|are|was|were|should be|must be|will be|werden|wird|sont|son|são|sono)\b", after)
    goal = re.match(r"(?:in)?to\b", match.group(), re.IGNORECASE)  # ``from English to French``
    if goal and not several:
        return denied is not None
    return denied is not None or bool(told_of) or bool(several) or _OTHER.search(before) is not None
