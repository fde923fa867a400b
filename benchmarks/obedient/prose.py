"""Filler text of a wished-for size: so many words, sentences, paragraphs, in one of a few languages."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LANGUAGES", "Size", "prose"]

# When no language is asked for it is one that few prompts ask for, so that a dropped rule about it is noticed.
_UNASKED = (
    "den gamla hamnen ligger i ett varmt ljus på kvällen och de små båtarna rör sig med vattnet när folk går längs"
    " muren och talar om dagen som de har haft med sina vänner och om det som de inte ska göra i morgon"
)
LANGUAGES = {
    "": _UNASKED,
    "en": "the old harbour lies in a warm evening light and the small boats move softly with the slow water while"
    " people walk along the stone wall and talk about the day that they had with their friends and of tomorrow",
    "fr": "le vieux port se trouve dans la lumière du soir et les petits bateaux bougent avec l’eau pendant que les"
    " gens marchent le long du mur et parlent de la journée qu’ils ont passée avec leurs amis dans cette ville",
    "de": "der alte Hafen liegt im warmen Licht des Abends und die kleinen Boote bewegen sich mit dem Wasser während"
    " die Leute an der Mauer entlang gehen und über den Tag sprechen den sie mit ihren Freunden hatten",
    "es": "el viejo puerto está en la luz de la tarde y los pequeños barcos se mueven con el agua mientras la gente"
    " camina por el muro y habla del día que ha pasado con sus amigos en esta ciudad y lo que hará después",
    "it": "il vecchio porto si trova nella luce della sera e le piccole barche si muovono con l’acqua mentre la gente"
    " cammina lungo il muro e parla della giornata che ha passato con gli amici in questa città",
    "pt": "o velho porto está na luz da tarde e os pequenos barcos movem-se com a água enquanto as pessoas caminham ao"
    " longo do muro e falam do dia que passaram com os seus amigos nesta cidade e do que vão fazer depois",
    "nl": "de oude haven ligt in het warme licht van de avond en de kleine boten bewegen met het water terwijl de"
    " mensen langs de muur lopen en over de dag praten die zij met hun vrienden hebben gehad",
    "ja": "古い港は夕方の暖かい光の中にあります。 小さな船は水の上でゆっくりと動いています。"
    " 人々は石の壁に沿って歩いています。",
    "zh": "古老的港口在傍晚温暖的光线中。 小船在水面上慢慢地移动。 人们沿着石墙散步并且谈论他们的一天。",
    "ko": "오래된 항구는 저녁의 따뜻한 빛 속에 있습니다. 작은 배들이 물 위에서 천천히 움직입니다."
    " 사람들은 벽을 따라 걷습니다.",
    "ru": "старый порт лежит в тёплом вечернем свете и маленькие лодки тихо движутся по воде а люди идут вдоль стены и"
    " говорят о дне который они провели со своими друзьями в этом городе",
}
_PER_SENTENCE = 13


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much to write; what is not said is chosen."""

    words: int = 180
    sentences: int | None = None
    paragraphs: int = 3
    lines: int | None = None
    characters: int | None = None
    language: str = ""


def prose(size: Size) -> str:
    """Text of that size: exact in words, and in sentences where there are words enough for them."""
    words = max(size.words, 0)
    if not words:
        return ""
    pool = (LANGUAGES.get(size.language) or _UNASKED).split()
    sentences = size.sentences or max(1, round(words / _PER_SENTENCE))
    sentences = max(1, min(sentences, words))
    made = [pool[at % len(pool)] for at in range(words)]
    said = [_sentence(made[words * at // sentences : words * (at + 1) // sentences]) for at in range(sentences)]
    text = _laid_out(said, size)
    return text if size.characters is None else _cut(text, size.characters)


def _sentence(words: list[str]) -> str:
    text = " ".join(words).rstrip(".。,")
    return text[:1].upper() + text[1:] + ("。" if "。" in "".join(words) else ".")


def _laid_out(said: list[str], size: Size) -> str:
    between, parts = ("\n", size.lines) if size.lines else ("\n\n", size.paragraphs)
    parts = max(1, min(parts, len(said)))
    groups = [said[len(said) * at // parts : len(said) * (at + 1) // parts] for at in range(parts)]
    return between.join(" ".join(group) for group in groups)


def _cut(text: str, characters: int) -> str:
    """Whole words up to so many characters, closed by a full stop."""
    if len(text) <= characters:
        return text
    kept = text[: max(characters - 1, 0)]
    head, space, _ = kept.rpartition(" ")
    return (head if space else kept).rstrip(" .,\n") + "."
