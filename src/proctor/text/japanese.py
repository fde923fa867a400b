"""Find slips of Japanese without a dictionary: few kinds, with few false alarms."""

from __future__ import annotations

import re
from collections.abc import Iterator

from proctor.text.script import Slip
from proctor.text.script_ranges import HALFWIDTH_KATAKANA, HAN, HIRAGANA, KATAKANA
from proctor.text.split import sentences

__all__ = ["NOT_CHECKED", "japanese_slips", "register_of"]

# What is not checked, for the report.
NOT_CHECKED = "sentence structure, the choice of particles and of words"
MOST_SLIPS = 50
LONGEST = 50_000

_LETTER = f"[{HIRAGANA}{KATAKANA}{HAN}々]"
# がが is also how 私ががんばる begins, so it counts only if no hiragana follows.
_DOUBLED_PARTICLE = re.compile(
    rf"をを|をが(?![らりるれろっんす])|がを|はを|にをを|がが(?![{HIRAGANA}])|[、。]{{2,}}|、。|。、"
)
_TWO_OBJECTS = re.compile(rf"を[{KATAKANA}{HAN}]{{1,8}}を(?=する|しま|して|いたし|致し|行)")
_LONG_NO = re.compile(rf"(?:[{KATAKANA}{HAN}々A-Za-z0-9]{{1,10}}の){{4,}}")
_REPEATED_END = re.compile(
    r"(?:ですです|ますます(?=[。！!？?]|$)|ましたました|ませんません|くださいください|でしょうでしょう)"
)
_SHORT_POTENTIAL = re.compile(
    r"(?:見|出|着|食べ|起き|考え|決め|始め|続け|信じ|借り|寝)れ(?:る|ます|ません|ない|た(?!ら))|来れ(?:る|ます|"
    r"ません|ない)"
)
_TWICE_POLITE = re.compile(
    r"おっしゃられ|ご覧になられ|お越しになられ|お召し上がりになられ|お見えになられ|伺わさせて|行かさせて|"
    r"読まさせて|送らさせて"
    r"|拝見させていただ|とんでもございません"
)
_HALF_KANA = re.compile(f"[{HALFWIDTH_KATAKANA}]{{2,}}")
_WIDE_DIGIT, _PLAIN_DIGIT = re.compile(r"[０-９]+"), re.compile(r"[0-9]+")
_WIDE_LETTER, _PLAIN_LETTER = re.compile(r"[Ａ-Ｚａ-ｚ]{2,}"), re.compile(r"[A-Za-z]{2,}")
_PLAIN_STOP = re.compile(rf"(?<={_LETTER})[.,](?=\s|$|{_LETTER})")
_SPACE = re.compile(rf"(?<=[{HIRAGANA}])[ \u3000]+(?=[{HIRAGANA}{KATAKANA}{HAN}])(?!\n)")
# Characters only used in simplified Chinese: the model switched languages.
_CHINESE = re.compile(r"[们这说对时还让请谢吗您过给样买卖书简发货为现动问题应该线长门车马鸟鱼见贝话语读认识]")

_QUOTED = re.compile(
    r"「[^「」]{0,200}」|『[^『』]{0,200}』|（[^（）]{0,200}）|\([^()]{0,200}\)|`[^`\n]{0,200}`|https?://\S+"
)
_LISTED = re.compile(r"^\s*(?:[-*•・#>|●▪]|[0-9０-９]{1,3}[.)．、]|[①-⑳])")
_TAIL = r"(?:[かねよなわ]|から|けど|が)*[。！!？?…♪☆〜~)）」』\s]*$"
_POLITE = re.compile(
    rf"(?:です|ます|ました|ません|ませんでした|でした|でしょう|ましょう|ください|下さい|ございます|いたします){_TAIL}"
)
_PLAIN = re.compile(
    rf"(?:である|だった|であった|だろう|であろう|ではない|じゃない|(?<![まく])だ|[うくすつぬむるぐぶ]べきだ|"
    rf"(?:し|っ|い|え|け|せ|て|ね|め|れ|べ)た"
    rf"|でき(?:る|ない|た)|[らかさたなまわ]ない|している|ている|する|なる|ある|れる){_TAIL}"
)


def japanese_slips(text: str) -> tuple[Slip, ...]:
    """Return the slips in a Japanese text."""
    text = text[:LONGEST]
    found = [slip for check in _CHECKS for slip, _ in zip(check(text), range(MOST_SLIPS), strict=False)]
    return tuple(sorted(found, key=lambda slip: slip.start)[:MOST_SLIPS])


def register_of(sentence: str) -> str:
    """Return how a sentence ends: ``polite`` (です・ます), ``plain`` (だ・である), or ``open`` (a noun, a title)."""
    bare = _QUOTED.sub("", sentence).strip()
    if _POLITE.search(bare):
        return "polite"
    return "plain" if _PLAIN.search(bare) else "open"


def _slip(kind: str, hit: re.Match[str], note: str, weight: float = 1.0) -> Slip:
    quote = hit.string[max(0, hit.start() - 8) : hit.end() + 8].strip()
    return Slip(kind=kind, quote=quote, start=hit.start(), note=note, weight=weight)


def _by_pattern(text: str) -> Iterator[Slip]:
    for pattern, kind, note, weight in (
        (_DOUBLED_PARTICLE, "particles", "two particles or stops that cannot follow each other", 1.0),
        (_TWO_OBJECTS, "particles", "two objects with を for one verb", 1.0),
        (_LONG_NO, "particles", "a chain of の", 0.5),
        (_REPEATED_END, "repetition", "the ending stands twice", 1.0),
        (_SHORT_POTENTIAL, "verb form", "ら抜き: ら is missing", 0.5),
        (_TWICE_POLITE, "politeness", "polite twice over (二重敬語)", 0.5),
        (_HALF_KANA, "width", "half-width katakana", 0.5),
        (_PLAIN_STOP, "width", "a half-width stop in Japanese", 0.5),
    ):
        for hit in pattern.finditer(text):
            yield _slip(kind, hit, note, weight)


def _widths(text: str) -> Iterator[Slip]:
    """Yield slips for digits or letters in both widths; either width alone is fine."""
    for wide, plain, what in (
        (_WIDE_DIGIT, _PLAIN_DIGIT, "digits"),
        (_WIDE_LETTER, _PLAIN_LETTER, "letters"),
    ):
        first, other = wide.search(text), plain.search(_QUOTED.sub("", text))
        if first and other:
            yield _slip("width", first, f"full-width and half-width {what} are mixed", 0.5)


def _spaces(text: str) -> Iterator[Slip]:
    """Yield spaces inside sentences. One may belong to a title; two or more are slips."""
    bare = _QUOTED.sub(lambda found: "＿" * len(found.group()), text)
    found = list(_SPACE.finditer(bare))
    if len(found) > 1:
        for hit in found[:5]:
            yield _slip("spaces", hit, "a space between words", 0.25)


def _chinese(text: str) -> Iterator[Slip]:
    for hit in _CHINESE.finditer(text):
        yield _slip("other language", hit, f"{hit.group()} is a character of simplified Chinese")


def _registers(text: str) -> Iterator[Slip]:
    """Yield the less frequent of です・ます and だ・である if a text mixes both."""
    ends: dict[str, list[str]] = {"polite": [], "plain": []}
    for line in text.splitlines():
        if _LISTED.match(line):
            continue  # list items may be plain in any register
        for sentence in sentences(line):
            if (kind := register_of(sentence)) in ends:
                ends[kind].append(sentence)
    fewer = min(ends.values(), key=len)
    if fewer and len(fewer) < sum(map(len, ends.values())):
        for sentence in fewer[:5]:
            start = max(0, text.find(sentence))
            note = "です・ます and だ・である are mixed"
            yield Slip(kind="register", quote=sentence[-40:], start=start, note=note)


_CHECKS = (_by_pattern, _widths, _spaces, _chinese, _registers)
