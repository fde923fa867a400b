"""Check whether an answer has the tone its intent requires, by typical words; a rough heuristic."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal

from proctor.core.score import Evidence, Score
from proctor.scorers.checked_answers import quoted
from proctor.text.script import language_of
from proctor.text.script_ranges import HAN, KATAKANA
from proctor.text.split import sentences, words

__all__ = ["Trait", "describe", "score_tone"]

Trait = Literal[
    "actionable",
    "authoritative",
    "brief",
    "concise",
    "conversational",
    "empathetic",
    "encouraging",
    "enthusiastic",
    "formal",
    "helpful",
    "informative",
    "patient",
    "plain",
    "reassuring",
    "stepwise",
    "unpushy",
    "warm",
]

CONFIDENCE: Final = 0.5
BRIEF: Final = 80
CONCISE: Final = 150
# Words of abuse count only where they are said of the customer or of what the customer asked; a girl in a novel may be
# stupid. "Hell" and "damn" count in lower case: "Hell's Paradise" is a title.
_RUDE = re.compile(
    r"\b(?:you(?:['’]re|r| are| were)?|customers?|people like you|what an?|don['’]t be|how) (?:\w+ ){0,2}"
    r"(?:stupid|idiots?|idiotic|dumb|morons?|fools?)\b"
    r"|\b(?:stupid|dumb|idiotic|silly) (?:questions?|requests?|ideas?|complaints?|mistakes?|messages?)\b"
    r"|(?:^|[.!?]\s+)(?:stupid|idiot|moron)[.!]"
    r"|\b(?:shut up|calm down|(?<!do )whatever[.!]|not my (?:problem|job|fault)|figure it out|stop asking"
    r"|(?:just|go|try to|maybe|first) read the (?:faq|manual)|obviously,? you|as i (?:already )?(?:said|told you)"
    r"|you should have (?:read|known|checked|thought|asked|listened)|(?:is|was) your (?:own )?fault|deal with it"
    r"|i (?:don['’]t|do not) care)\b|(?-i:\b(?:damn|crap|hell no)\b)|\b(?:what the|go to|bloody) (?-i:hell)\b"
    r"|知るか|うるさい|ばか(?:者|野郎|か[。！!？?])|馬鹿(?:者|野郎|か[。！!？?])|自分で調べ|さっきも言|仕方ないでしょ|"
    r"知りません。$|お前|てめえ",
    re.IGNORECASE,
)
_MECHANICAL = re.compile(
    r"\b(?:please be advised|as per (?:our|your|the)|kindly (?:note|be|do)|(?:your )?(?:query|request|input) "
    r"(?:has been|was|is) "
    r"(?:processed|received|logged|being)|(?:query|request) (?:result|processed)|error(?: code)?:|n/a|"
    r"status\s*[:=]|results?\s*[:=]|"
    r"the (?:user|customer) (?:is|has|should|can|may)|herewith|aforementioned|hereby|in (?:english|digital|"
    r"print) format\b|"
    r"operation (?:completed|failed)|data (?:not )?(?:found|available)|no (?:data|records?|results?) found)\b|"
    r"該当データ|処理が完了|"
    r"クエリ|エラー：|ステータス[:：]|データなし",
    re.IGNORECASE,
)
# A brand or a title in capitals is not shouting; a sentence is. So words that no name consists of must be among them.
_SHOUTED = re.compile(
    r"\b(?:YOU|YOUR|THE|IS|ARE|WAS|NOT|WE|OUR|AND|MUST|NOW|WILL|CAN|CANNOT|THIS|THAT|PLEASE|STOP|HAVE|HAS|FOR|WITH"
    r"|DIE|DAS|IST|NICHT|SIE|WIR|UND|SIND|LE|LES|EST|PAS|VOUS|NOUS|ET|EL|LOS|ES|NO|USTED|QUE|CON|NON|SONO|CHE)\b"
)
_CAPITALS = re.compile(r"\b[^\W\d_]{2,}\b")
_WARM = re.compile(
    r"\b(?:thank|thanks|please|happy|glad|welcome|enjoy|love|great|wonderful|hope|hi|hello|of course|sure|"
    r"certainly|absolutely|"
    r"let me know|feel free|here to help|take care|delighted|lovely|pleasure|good (?:choice|news|question)|"
    r"sorry|you(?:'|’)?(?:ll|re|ve)?)\b|"
    r"[!！♪😊🙂😄🎉❤]|ありがとう|ござい|ください|いただ|いかが|ぜひ|おすすめ|お気軽|うれし|嬉し|楽し|こんにちは|"
    r"はい|もちろん|ご(?:利用|案内|紹介|注文|不明|安心)|お(?:客|待ち|届け|手|問|探|好き)",
    re.IGNORECASE,
)
_EMPATHY = re.compile(
    r"\b(?:sorry|apologi[sz]e|apolog(?:y|ies)|understand|frustrat|inconvenien|regret|appreciate|thank|i see|"
    r"worry|worries|concern|rest assured|"
    r"happy to help|glad|of course|no problem)\w*\b|申し訳|お詫び|ご不便|ご迷惑|恐れ入|恐縮|ご心配|ご安心|"
    r"お察し|ありがとう|すみません|かしこまり|承知",
    re.IGNORECASE,
)
_BAD_NEWS = re.compile(
    r"\b(?:delay(?:ed)?|late|lost|damaged|cannot|can['’]t|unable|unfortunately|not (?:available|possible|"
    r"eligible|found)|out of stock|"
    r"refused|declined|failed|expired|missing|broken|wrong|past the)\b|遅れ|遅延|できません|ございません|"
    r"在庫切れ|品切れ|破損|紛失|対象外|期限",
    re.IGNORECASE,
)
_ACTION = re.compile(
    r"\b(?:you can|you['’]ll|you may|please|we['’]ll|we will|i['’]ll|i will|i can|click|select|go to|visit|"
    r"contact|reply|choose|open|track|"
    r"next step|to (?:start|return|check|pay|do)|just|simply|arriv(?:e|es|ing)|expected|will (?:be|arrive|"
    r"ship))\b|ください|できます|"
    r"いたします|お手続き|ボタン|クリック|選択|予定|お届け|ご連絡|まで",
    re.IGNORECASE,
)
_KEEN = re.compile(
    r"[!！♪🎉😊]|\b(?:love|great|fantastic|amazing|perfect|must-read|gripping|wonderful|favou?rite|highly|"
    r"recommend|enjoy|brilliant|"
    r"beautiful|thrilling|hilarious|try|fans?|if you (?:like|enjoy|love)|you(?:'|’)?(?:ll|d)? (?:like|love|"
    r"enjoy))\w*\b|"
    r"おすすめ|ぜひ|人気|最高|傑作|面白|楽し|名作|魅力|お好き|ぴったり",
    re.IGNORECASE,
)
_PUSHY = re.compile(
    r"\b(?:buy (?:it |them )?now|act (?:now|fast)|hurry|don['’]t miss|last chance|limited time|order (?:right )?now|"
    r"before it['’]s (?:too late|gone)|you (?:must|need to|have to) buy|once in a lifetime|guaranteed)\b|"
    r"今すぐ(?:買|購入|注文)|"
    r"お急ぎ|見逃|残りわずか|絶対に?買",
    re.IGNORECASE,
)
_CASUAL = re.compile(
    r"\b(?:gonna|wanna|yeah|yep|nope|lol|dude|cool|hey|ya|kinda|sorta|btw|omg)\b|だよ[。！!ね]|じゃん|"
    r"っす[。！!]|だぜ|ｗｗ",
    re.I,
)
_JARGON = re.compile(
    r"\b(?:utili[sz]e|leverage|facilitate|pursuant|heretofore|endeavou?r|commence|terminate|in accordance with)\w*\b",
    re.I,
)
_HEDGED = re.compile(
    r"\b(?:i think|i guess|i believe|maybe|perhaps|probably|i'?m not sure|not certain|might be|could be"
    r"|as far as i know)\b"
    r"|かもしれません|と思います|たぶん|おそらく|多分",
    re.IGNORECASE,
)
_IMPATIENT = re.compile(
    r"\b(?:as i (?:already )?(?:said|told)|again,|once more,|obviously|clearly,|hurry|you need to understand"
    r"|like i said)\b"
    r"|何度も|先ほども申し",
    re.IGNORECASE,
)
_REASSURING = re.compile(
    r"\b(?:you can|you may|don['’]t worry|no worries|no problem|rest assured|of course|certainly|happy to|glad|always"
    r"|free|yes|we(?:['’]ll| will)|guarantee\w*|safe|easy|simply|sure)\b"
    r"|ご安心|大丈夫|もちろん|できます|いただけます|はい|ください",
    re.IGNORECASE,
)
_STEPS = re.compile(
    r"(?m)^\s*(?:\d+[.)]|[-*•])\s|\b(?:first|then|next|after that|finally|afterwards|once|before you|click|select"
    r"|choose|go to|open|enter)\b|まず|次に|その後|最後に|から(?:選|お進み)|を(?:選|押し|クリック|入力)",
    re.IGNORECASE,
)
_ENCOURAGING = re.compile(
    r"[!！]|\b(?:you can|almost|easy|easily|just|simply|good luck|let me know|happy to|glad|great|feel free|no problem"
    r"|you(?:['’]re| are) (?:nearly|almost|all) )|ください|簡単|お気軽|大丈夫|すぐに",
    re.IGNORECASE,
)
_SPEAKS = re.compile(
    r"\b(?:you|your|i|we|let['’]?s|me|us|our|my)\b|[?？!！]|ます|です|ください|ね[。！]",
    re.IGNORECASE,
)
_DETAIL = re.compile(
    r"\d|[「『《“\"»*]|\b(?:because|since|by|with|about|between|every|until|within|set in|author|written)\b"
    rf"|[{HAN}{KATAKANA}]{{3,}}|(?<=[\w,;:] )[A-Z][\w-]{{2,}}",
)
# A full sentence contains one of these; text without any reads like a label.
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|am|has|have|had|do|does|did|can|could|will|would|should|may|might|must|'s|'re|'ll|"
    r"'ve|'m|let|try|see|"
    r"enjoy|thank|thanks|check|visit|click|go|get|take|give|find|here|there|please|sorry|yes|no|hello|hi|"
    r"welcome|follow|contact|"
    r"\w{3,}(?:ed|ing|s))\b|['’](?:s|re|ll|ve|m)\b",
    re.IGNORECASE,
)


def _courtesy(text: str) -> Iterator[tuple[float, str, str]]:
    """Yield each breach of courtesy: its cost, the words and the kind."""
    for hit, _ in zip(_RUDE.finditer(text), range(3), strict=False):
        yield 0.5, hit.group(), "rude or dismissive"
    for hit, _ in zip(_MECHANICAL.finditer(text), range(3), strict=False):
        yield 0.25, hit.group(), "mechanical"
    capitals = [word for word in _CAPITALS.findall(text) if word.isupper()]
    if len(capitals) > 3 and len(capitals) > 0.3 * len(words(text)) and len(_SHOUTED.findall(text)) >= 2:
        yield 0.4, " ".join(capitals[:4]), "shouted in capitals"
    if (marks := re.search(r"[!！]{3,}", text)) is not None:
        yield 0.2, marks.group(), "too many exclamation marks"
    for sentence in sentences(text) if language_of(text) == "en" else ():
        if (
            re.search(r"[.!]$", sentence)
            and len(words(sentence)) >= 6
            and sentence.isascii()
            and not _VERB.search(sentence)
        ):
            yield 0.25, sentence[:80], "a label, not a sentence"
            break
    # "Volumes 1 through 23 available": the verb is missing.
    for hit in re.finditer(r"\b\w+\s+(?:currently\s+)?available in\b", text, re.IGNORECASE):
        clause = re.split(r"[.!?\n]", text[: hit.end()])[-1]
        if not re.search(
            r"\b(?:is|are|was|were|be|been|being|also|now|not|currently|all|both|it|make[sd]?|become[s]?)\b|"
            r"['’](?:s|re)\b",
            clause,
            re.I,
        ):
            yield 0.4, clause.strip()[-80:], "mechanical: the verb is left out"
            break


def _has(pattern: re.Pattern[str], note: str) -> Callable[[str], tuple[float, str]]:
    return lambda text: (1.0, "") if pattern.search(text) else (0.4, note)


def _lacks(pattern: re.Pattern[str], note: str, cost: float) -> Callable[[str], tuple[float, str]]:
    def check(text: str) -> tuple[float, str]:
        found = [hit.group() for hit in pattern.finditer(text)][:4]
        return max(0.0, 1.0 - cost * len(found)), f"{note}: “{found[0]}”" if found else ""

    return check


def _brief(text: str) -> tuple[float, str]:
    count = len(words(text))
    # In unspaced scripts each character counts as a word; an English word is about 2.5 of them.
    most = BRIEF if text.isascii() else BRIEF * 2.5
    return (1.0, "") if count <= most else (max(0.2, most / count), f"{count} words are not brief")


def _empathetic(text: str) -> tuple[float, str]:
    if _EMPATHY.search(text):
        return 1.0, ""
    bad = _BAD_NEWS.search(text)
    if bad is not None:
        return 0.3, f"bad news (“{bad.group()}”) without a word of regret or understanding"
    return (0.8, "") if _WARM.search(text) else (0.6, "no word of understanding")


def _concise(text: str) -> tuple[float, str]:
    value, note = _brief(text)
    return (1.0, "") if value * CONCISE / BRIEF >= 1.0 else (value, note.replace("brief", "concise"))


_TRAITS: Final[Mapping[str, Callable[[str], tuple[float, str]]]] = {
    "actionable": _has(_ACTION, "says nothing of what to do or what happens next"),
    "authoritative": _lacks(_HEDGED, "unsure", 0.3),
    "brief": _brief,
    "concise": _concise,
    "conversational": _has(_SPEAKS, "speaks to nobody"),
    "empathetic": _empathetic,
    "encouraging": _has(_ENCOURAGING, "nothing that encourages"),
    "enthusiastic": _has(_KEEN, "nothing that shows enthusiasm"),
    "formal": _lacks(_CASUAL, "casual", 0.4),
    "helpful": _has(re.compile(f"{_ACTION.pattern}|{_WARM.pattern}", re.IGNORECASE), "nothing helpful or polite"),
    "informative": _has(_DETAIL, "no detail: no number, name or reason"),
    "patient": _lacks(_IMPATIENT, "impatient", 0.4),
    "plain": _lacks(_JARGON, "stiff words", 0.3),
    "reassuring": _has(_REASSURING, "nothing that reassures"),
    "stepwise": _has(_STEPS, "no steps in order"),
    "unpushy": _lacks(_PUSHY, "pushy", 0.4),
    "warm": _has(_WARM, "nothing warm or polite"),
}


def describe(traits: Sequence[Trait]) -> str:
    """Return a description of the tone for a judge."""
    return ", ".join(["courteous", "natural", *traits])


def score_tone(answer: str, traits: Sequence[Trait]) -> Score:
    """Score courtesy and the traits of the intent, half each; traits cannot offset a lack of courtesy."""
    if not answer.strip():
        return Score(name="tone", value=0.0, confidence=1.0, reason="the answer is empty")
    text = answer[:20_000]
    faults = list(_courtesy(text))
    courteous = max(0.0, 1.0 - sum(cost for cost, _, _ in faults))
    checked = [(trait, *_TRAITS[trait](text)) for trait in dict.fromkeys(traits)]
    wanted = sum(value for _, value, _ in checked) / len(checked) if checked else courteous
    notes = [f"{what}: “{said}”" for _, said, what in faults] + [note for _, _, note in checked if note]
    evidence = [Evidence(quote=quoted(said), note=what) for _, said, what in faults]
    evidence += [Evidence(quote=quoted(text, 80), note=f"{trait}: {note}") for trait, _, note in checked if note]
    asked = f"looked for: {describe(traits)}, by words that show it"
    return Score(
        name="tone",
        value=min(courteous, (courteous + wanted) / 2),
        confidence=CONFIDENCE,
        reason=quoted("; ".join([*notes, asked]), 500),
        evidence=tuple(evidence),
    )
