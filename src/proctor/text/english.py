"""Find slips of English without a parser: few kinds, with few false alarms."""

from __future__ import annotations

import re
from collections.abc import Iterator

from proctor.text.script import Slip
from proctor.text.split import sentences

__all__ = ["NOT_CHECKED", "english_slips"]

# What is not checked, for the report.
NOT_CHECKED = "sentence structure, tenses, most agreement and spelling"
MOST_SLIPS = 50
LONGEST = 50_000

# Two of these in a row are a slip; "that that", "had had" and names are not checked.
_DOUBLED = re.compile(
    r"\b(the|an?|of|to|in|on|is|are|was|were|for|and|or|with|at|by|it|this|from|as|be|we|your|our|will|can|has|"
    r"have|not|if|but|their|they|which|please|i)\s+\1\b",
    re.IGNORECASE,
)
_AN = re.compile(r"\b(an?)\s+([a-z][a-z'’-]*)", re.IGNORECASE)
_SILENT_H = re.compile(r"(?:hour|honest|honou?r|heir|heirloom)", re.IGNORECASE)
_SAID_YOU_OR_WON = re.compile(
    r"(?:uni(?!n|m)|use|usu|util|u[bk]iq|ure|uran|eu|ewe|one(?!r)|once|ubiq|unanim|u$)", re.IGNORECASE
)
_AGREEMENT = re.compile(
    r"(?:^|(?<=[.!?;,:]\s)|(?<=\bthat\s)|(?<=\bbut\s)|(?<=\bbecause\s)|(?<=\bso\s))"
    r"(?:(?:he|she|it)\s+(?:have|do|don['’]t|are|aren['’]t)"
    r"|(?:they|we|you)\s+(?:is|was|has|does|doesn['’]t|isn['’]t|wasn['’]t|hasn['’]t)"
    r"|i\s+(?:is|are|has|does|doesn['’]t)"
    r"|(?:this|that)\s+(?:are|were|have)\b(?=\s+(?:a|an|the|in|on|not|very|available))"
    r"|(?:these|those)\s+(?:is|was|has|does))\b",
    re.IGNORECASE | re.MULTILINE,
)
_PAST = (
    "went|gave|took|bought|came|saw|was|were|did|got|made|said|had|found|sent|kept|told|knew|thought|wrote|began|chose|"
    "paid|left|brought|sold|ate|drank|arrived|ordered|received|wanted|needed|worked|helped|shipped"
)
_AFTER_AUXILIARY = re.compile(
    rf"\b(?:did|didn['’]t|does|doesn['’]t|don['’]t|can|can['’]t|cannot|could|couldn['’]t|will|won['’]t|would|"
    rf"wouldn['’]t|should|shouldn['’]t|must|might)\s+(?:not\s+)?(?:{_PAST})\b",
    re.IGNORECASE,
)
_AFTER_HAVE = re.compile(
    r"\b(?:has|have|had|hasn['’]t|haven['’]t)\s+(?:went|came|saw|gave|took|wrote|began|chose|ate)\b", re.I
)
_PHRASES = re.compile(
    r"\b(?:(?:could|should|would|must|might)\s+of\b(?!\s+course)|more\s+(?:better|cheaper|easier|faster|bigger|"
    r"nicer|larger)"
    r"|most\s+(?:best|cheapest|easiest|fastest|biggest|nicest)|your\s+welcome\b(?!\s+(?:gift|email|mail|page|"
    r"message|kit|pack|"
    r"bonus|offer|letter|guide|screen|package))|alot|informations|advices|equipments|furnitures|softwares|feedbacks|"
    r"a\s+(?:informations?|advices?|news|furniture|software)\b(?!\s+(?:desk|page|site|item|update|article|title|"
    r"company|"
    r"store|team|section|feed|letter|shop|line))|there\s+is\s+(?:many|several|lots|two|three|four|five|"
    r"a\s+lot\s+of\s+\w+s\b)"
    r"|different\s+then|rather\s+then|better\s+then\s+(?:the|a|any)|depend\s+of|discuss\s+about\s+(?:the|your|it)|"
    r"despite\s+of|less\s+then|more\s+then\s+\d|how\s+to\s+\w+ing\b|(?:an|a)\s+(?:books|orders|days|volumes|"
    r"items|products)\b(?!['’\s]+(?:of|worth|supply)))",
    re.IGNORECASE,
)
_MISSPELT = re.compile(
    r"\b(?:dont|cant|doesnt|didnt|isnt|wasnt|couldnt|wouldnt|shouldnt|arent|havent|hasnt|im|ive|youre|theyre|"
    r"thats|whats|"
    r"recieve[ds]?|seperate(?:ly)?|definately|occured|untill|wich|teh|adress|accomodate|availible|availble|"
    r"recomm?end(?:aton|atoin)|recomend(?:ed|ation|ations|s)?|delievery|delivary|reciept|thier|truely|beleive|tommorow|"
    r"calender|existance|goverment|neccessary|noticable|ocasion|prefered|refered|succesful(?:ly)?|suprise|tendancy|"
    r"wierd|becuase|beggining|begining|comming|diffrent|freind|happend|immediatly|intresting|knowlege|lenght|"
    r"maintainance|occassion|posession|publically|remeber|rember|sucess|transfered|unfortunatly|usefull|writting|"
    r"acheive|appologi[sz]e|avaliable|availabe|custumer|shiping|arive[sd]?|arrvied|orderd|exchang)\b",
    re.IGNORECASE,
)
_IM = re.compile(r"\b(?:IM|Im(?=\s+[A-Z]))\b")  # a name or an abbreviation, not "I'm"
_GLUED = re.compile(r"(?<=[a-z]{2})[.!?,;](?=[A-Z][a-z]+\s)|(?<=[a-z]{3}),(?=[a-z]{3,}\s)")
_SPACE_BEFORE = re.compile(r"(?<=\w)[ \t]+[,;.!?](?=\s|$)(?!\.)")
_LONE_I = re.compile(
    r"(?<![\w.'’/-])i(?=\s+(?:am|was|have|can|will|would|think|hope|could|should|do|don['’]t|see|love|like)\b|['’]m\b)"
)
_LOWER_START = re.compile(r"^[a-z]{2,}(?=\s)")
_NAMES_IN_LOWER_CASE = re.compile(r"^(?:i(?:Phone|Pad|OS)|e(?:Bay|Book|SIM)|https?|www)")
# The end of a sentence, not an abbreviation: "e.g." and "Nov." are followed by lowercase letters or figures.
_ENDED = re.compile(r"[a-z0-9]{4,}[.!?][\"'”’)]*\s*$")
_LIST_OR_HEADING = re.compile(r"^\s*(?:[-*•+#>|]|\d{1,3}[.)]\s)")
_CODE = re.compile(
    r"```.{0,5000}?```|`[^`\n]{0,300}`|https?://\S+|(?<!\S)[\w.+-]{1,64}@[\w.-]{1,200}|\]\([^()\s]{0,500}\)"
    r"|\b[\w-]{1,60}(?:\.[a-z0-9][\w-]{0,60}){1,6}\b",
    re.DOTALL,
)


def english_slips(text: str) -> tuple[Slip, ...]:
    """Return the slips in an English text; code, links and addresses are not checked."""
    plain = _CODE.sub(lambda found: "_" * len(found.group()), text[:LONGEST])
    found = [slip for check in _CHECKS for slip, _ in zip(check(plain), range(MOST_SLIPS), strict=False)]
    return tuple(sorted(found, key=lambda slip: slip.start)[:MOST_SLIPS])


def _slip(kind: str, hit: re.Match[str], note: str, weight: float = 1.0) -> Slip:
    text = hit.string
    quote = text[max(0, hit.start() - 12) : hit.end() + 12].strip()
    return Slip(kind=kind, quote=quote, start=hit.start(), note=note, weight=weight)


def _by_pattern(plain: str) -> Iterator[Slip]:
    for hit in _DOUBLED.finditer(plain):
        yield _slip("doubled word", hit, f"“{hit[1]}” stands twice")
    for hit in _AGREEMENT.finditer(plain):
        yield _slip("agreement", hit, f"“{hit.group().strip()}”: subject and verb do not agree")
    for pattern in (_AFTER_AUXILIARY, _AFTER_HAVE):
        for hit in pattern.finditer(plain):
            yield _slip("verb form", hit, f"“{hit.group()}”: the verb has the wrong form")
    for hit in _PHRASES.finditer(plain):
        yield _slip("wording", hit, f"“{hit.group()}” is not English")
    for hit in _MISSPELT.finditer(plain):
        if not _IM.match(hit.group()):
            yield _slip("spelling", hit, f"“{hit.group()}” is misspelt", 0.5)
    for hit in _LONE_I.finditer(plain):
        yield _slip("capital", hit, "“I” is a capital letter", 0.5)


def _articles(plain: str) -> Iterator[Slip]:
    for hit in _AN.finditer(plain):
        article, word = hit[1].lower(), hit[2]
        if len(word) < 3 or word.isupper() or (hit[1] == "A" and word[0].isupper()):
            continue  # letters, abbreviations and names: their pronunciation is unknown
        vowel = word[0].lower() in "aeiou"
        if (vowel and _SAID_YOU_OR_WON.match(word)) or (not vowel and _SILENT_H.match(word)):
            vowel = not vowel
        if word[0].lower() == "u" and not vowel and article == "an":
            continue  # "an unidentified": the rule above is unreliable here
        if (article == "an") != vowel:
            yield _slip("article", hit, f"“{hit.group()}”: the article does not fit")


def _spaces(plain: str) -> Iterator[Slip]:
    for hit in _GLUED.finditer(plain):
        yield _slip("missing space", hit, "no space after the punctuation", 0.5)
    for hit in _SPACE_BEFORE.finditer(plain):
        yield _slip("space before punctuation", hit, "a space before the punctuation", 0.25)


def _capitals(plain: str) -> Iterator[Slip]:
    """Yield sentences that begin in lowercase, three at most: a text without capitals is one habit."""
    found = 0
    start = 0
    for line in plain.split("\n"):
        at = 0
        for sentence in sentences(line) if not _LIST_OR_HEADING.match(line) else ():
            place = max(line.find(sentence[:40], at), 0)
            ended = _ENDED.search(line[max(0, place - 30) : place]) is not None or place == 0
            at = place + 1
            if ended and _LOWER_START.match(sentence) and not _NAMES_IN_LOWER_CASE.match(sentence) and found < 3:
                found += 1
                note = "a sentence begins with a small letter"
                yield Slip(kind="capital", quote=sentence[:40], start=start + place, note=note, weight=0.5)
        start += len(line) + 1


_CHECKS = (_by_pattern, _articles, _spaces, _capitals)
