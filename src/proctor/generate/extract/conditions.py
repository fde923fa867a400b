"""When a sentence holds: always, in some cases only, softly, or by the line above it."""

from __future__ import annotations

import re
from typing import Final

from proctor.generate.extract.quantity_words import NEGATION
from proctor.generate.extract.verbs import looks_like_command
from proctor.text.lazy_pattern import Lazy

__all__ = [
    "PERMISSION",
    "QUOTED",
    "blanked",
    "denies",
    "independent_pieces",
    "is_conditional",
    "is_open",
    "is_permitted",
    "split_condition",
    "without_cases",
]

# ``even if`` concedes; everything else that a sentence may hang on makes it conditional.
_CONCEDED: Final = Lazy(
    r"\b(?:even (?:if|when|though)|as if|auch wenn|selbst wenn|même (?:si|quand|lorsque)|aunque|incluso (?:si|"
    r"cuando)|mesmo (?:que|se|quando)|anche (?:se|quando)|ook als)\b|即使|哪怕|場合でも|ても",
    re.IGNORECASE,
)
_IF: Final = Lazy(
    r"\b(?:if|when|whenever|unless|in case|except|once|wenn|falls|sofern|sobald|außer|lorsque|lorsqu['’]|quand|à "
    r"moins|sauf|cuando|en caso|a menos|salvo|excepto|quando|em caso|exceto|qualora|nel caso|tranne|wanneer|indien|"
    r"если|когда|jeśli|jeżeli|gdy|eğer|když|pokud|jestli(?:že)?|якщо|коли|jos|mikäli|dacă|jika|bila|apabila|nếu|"
    r"αν|εάν|όταν|hvis|når|ifall|när|eğer|durumunda|yoksa|varsa|[^\W\d_]{3,}(?:ıyorsa|iyorsa|uyorsa|üyorsa|ıysa|iysa|"
    r"mışsa|mişse|masa|mese|rsa|rse|ında[yi]sa|taysa|deyse)|depending on|je nach|selon|según|dependendo)\b|(?:^|"
    r"[,;:–—(]\s*|\b(?:et|y|e|and|mais|pero|mas|ma|but)\s+)(?:si|(?<!\bet )(?<!\by )(?<!\bmais )(?<!\bpero )se|"
    r"als(?= (?:de|het|er|een|je|u|iemand|dat|niets|geen)\b)|s['’]il\w*|caso|bei|ha|"
    r"for(?! (?:example|instance))|en cas[ou]?|in caso|im fall\w*|"
    r"w przypadku|i fall)\b(?!\s+(?:each|every|jede|chaque|cada|ogni|all|einem|allen))|如果|若(?!干)|如遇|假如|一旦|"
    r"当|(?<!回答)(?<!回复)(?<!输出)(?<!写作)时[，,、：:]|的话|の場合|場合は|とき[はに、]|時は|たら、|れば、|なら、|"
    r"除非|除了|^\W*om\s[^,]{3,90},|(?:^|\s|و)(?:إذا|في حال|عند)(?=\s|ال)|(?:^|\s)(?:अगर|यदि)\s|होने "
    r"पर|(?<=[가-힣])(?:으면|면|라면|경우|"
    r"때)(?=[\s,에는])|ถ้า|หาก|اگر|(?<!\w)אם(?!\w)",
    re.IGNORECASE,
)
_PERMITTED: Final = Lazy(
    r"\b(?:you (?:may|can|could|might)(?! not| only| never)|feel free|optional(?:ly)?|if you like|du (?:darfst|"
    r"kannst)|sie (?:dürfen|können)|(?:tu peux|vous pouvez)|puedes|puede usted|pode(?:s)? usar|você pode|puoi|je mag|"
    r"je kunt)\b|可以|てもよい|ても構い",
    re.IGNORECASE,
)
PERMISSION: Final = Lazy(
    r"\W*(?:you(?:'re|’re| are) (?:also )?(?:free|allowed|welcome|able|encouraged)|you (?:may|can|could|might) "
    r"(?!not\b|only\b|never\b)|feel free|it(?:'s|’s| is) (?:ok|okay|fine|acceptable|optional))\b",
    re.IGNORECASE,
)
# The condition that an English sentence begins with, and the comma after it.
_LEADING: Final = Lazy(
    r"\W*(?P<condition>(?:(?:only |even )?if|when|whenever|unless|in case|once|in all other cases|for (?:any|all|"
    r"other|anything|everything|questions?|topics?|requests?|unrelated|off-topic|invalid|"
    r"unclear)(?=[^,]{0,60}\b(?:other|else|outside|not|unrelated|off-topic|invalid|unclear)\b))\b(?:[^,\"“`(:;]|"
    r"\"[^\"]*\"|“[^”]*”|`[^`]*`|\([^)]*\)|,(?=\d)|,\s*(?:and|or|but)\s|,\s*(?:and|"
    r"or)\s){1,400}?)(?:,\s*(?:then\s+)?|\s+then\s+|:\s+)(?=\S)",
    re.IGNORECASE,
)
_LISTED_ON: Final = Lazy(
    r"(?:[^,.:;]{1,40},\s*){0,4}[^,.:;]{1,60}?\b(?:or|and)\s+[^,.:;]{1,60},\s*(?=\S)", re.IGNORECASE
)
_SOFT: Final = Lazy(
    r"\b(?:probably|perhaps|would|vermutlich|wahrscheinlich|probablement|probablemente|provavelmente|probabilmente|"
    r"waarschijnlijk|ideally|preferably|if possible|where possible|try to|usually|generally|möglichst|nach "
    r"möglichkeit|idealerweise|de préférence|si possible|dans la mesure|preferiblemente|preferentemente|de "
    r"preferencia|a ser posible|si es posible|de preferência|se possível|preferibilmente|se possibile|bij "
    r"voorkeur)\b|尽量|最好|なるべく|できるだけ",
    re.IGNORECASE,
)
# Marks that are counted wherever they stand, so a place within the answer does not matter.
_LONGEST_DENIAL: Final = 6  # words of a line that only forbids what is below it
_BEFORE_NEGATION: Final = Lazy(rf"(?<=[,，、])(?=\s*{NEGATION})", re.IGNORECASE)
_CONDITION_FIRST: Final = Lazy(
    r"\W*(?:if|when|unless|except|in case|for|wenn|falls|außer|bei|sauf|si|lorsque|quand|pour|salvo|excepto|"
    r"cuando|en caso|"
    r"exceto|quando|em caso|se|tranne|nel caso|als|behalve|tenzij|bij|jeśli|chyba)\b|\W*(?:如果|若|当|除非|除了)",
    re.IGNORECASE,
)
_BRACKETS: Final = re.compile(r"[(（][^()（）]*[)）]")
_CASE_IN_BRACKETS: Final = re.compile(r"\b(?:si|se|als|om|hvis|jeśli)\b", re.IGNORECASE)
QUOTED: Final = re.compile(
    r"[\"“„«「『`][^\"“”„«»「」『』`\n]{1,200}[\"”“»」』`]"
)  # words in quotes do not bind the sentence


def is_conditional(text: str) -> bool:
    """Whether a sentence holds only in some cases."""
    return _IF.search(_CONCEDED.sub(lambda found: " " * len(found.group()), text)) is not None


def is_permitted(text: str) -> bool:
    """Whether a sentence allows something, in any language."""
    return _PERMITTED.match(text.lstrip(" -*•")) is not None


def split_condition(text: str) -> tuple[str, str]:
    """Return the condition that a sentence begins with and the rest; an empty condition if there is none."""
    match = _LEADING.match(text)
    if match is None:
        return "", text
    rest = text[match.end() :]
    first = re.match(r"(?P<verb>[A-Za-z']+)\s*(?P<next>\S*)", rest)
    listed = _LISTED_ON.match(rest)  # ``on smoke, fire or a shock, tell …``
    if listed and first and not looks_like_command(first["verb"], first["next"]):
        return text[match.start("condition") : match.end() + listed.end()].strip(" ,"), rest[listed.end() :]
    return match["condition"].strip(), rest


def denies(lead: str) -> str:
    """Return the negation of a line that forbids the items below it, ``Do not:``; nothing if it forbids nothing."""
    said = lead.strip(" *_#")
    found = re.search(NEGATION, said, re.IGNORECASE) if said.endswith((":", "：")) or lead.startswith("#") else None
    if found is None or found.group().lower() == "noch" or len(said.split()) > _LONGEST_DENIAL or is_conditional(said):
        return ""
    return found.group()


def is_open(piece: str) -> bool:
    """Whether some words hold in some cases only, or softly."""
    control = blanked(QUOTED, piece)
    return any(pattern(control) for pattern in (is_conditional, _PERMITTED.search, _SOFT.search))


def independent_pieces(text: str) -> list[str]:
    """Return the text in pieces that hold by themselves: ``no emoji, no capitals except in names``.

    A sentence is cut before its negations only where one of the pieces is conditional and no piece begins with its
    condition, which would be one for all of them.
    """
    if not is_open(text):
        return [text]
    pieces = _BEFORE_NEGATION.split(text)
    if len(pieces) < 2 or any(_CONDITION_FIRST.match(piece) for piece in pieces):
        return [text]
    return pieces


def without_cases(text: str) -> str:
    """Return the text without brackets such as ``(none if …)``, whose case asks for no more than the rule."""
    aside = [
        found.group()
        for found in _BRACKETS.finditer(text)
        if is_conditional(found.group()) or _CASE_IN_BRACKETS.search(found.group())
    ]
    return blanked(_BRACKETS, text) if aside and not any(map(re.compile(r"\d").search, aside)) else text


def blanked(pattern: re.Pattern[str] | Lazy, text: str) -> str:
    """Return the text with blanks where a pattern matches; every other character keeps its place."""
    return pattern.sub(lambda found: " " * len(found.group()), text)
