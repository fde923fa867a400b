"""Rewrite letters by other letters, signs or numbers: ciphers, Morse, Braille, leet, spelling alphabets."""

from __future__ import annotations

import re
import string
from random import Random
from typing import Final

from proctor.redteam.techniques.payload_encoding import Encoding, without_accents

__all__ = [
    "AtbashCipher",
    "BrailleLetters",
    "CaesarCipher",
    "LeetSpelling",
    "LetterNumbers",
    "MorseCode",
    "NatoAlphabet",
    "PigLatin",
    "Rot13Cipher",
]

_SMALL: Final = string.ascii_lowercase
_LEET: Final = str.maketrans("aeiostAEIOST", "431057431057")
_MORSE_SIGNS: Final = (
    "a.- b-... c-.-. d-.. e. f..-. g--. h.... i.. j.--- k-.- l.-.. m-- n-. o--- p.--. q--.- r.-. s... t- u..- v...- "
    "w.-- x-..- y-.-- z--.. 0----- 1.---- 2..--- 3...-- 4....- 5..... 6-.... 7--... 8---.. 9----. ..-.-.- ,--..-- "
    "?..--.. '.----. !-.-.-- /-..-. :---... =-...- @.--.-."
)
_MORSE: Final = {entry[0]: entry[1:] for entry in _MORSE_SIGNS.split(" ")}
_BRAILLE: Final = dict(zip("abcdefghijklmnopqrstuvwxyz.,?!'", "⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵⠲⠂⠦⠖⠄", strict=True))
_SPELLING: Final = (
    "Alfa Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliett Kilo Lima Mike November Oscar Papa Quebec "
    "Romeo Sierra Tango Uniform Victor Whiskey Xray Yankee Zulu"
)
_NATO: Final = {word[0].lower(): word for word in _SPELLING.split(" ")}
_WORD: Final = re.compile("[A-Za-z]+")
_PIG_HEAD: Final = re.compile("([^aeiouAEIOU]*)(.*)", re.DOTALL)


def _to_rot13(text: str, random: Random) -> str:
    """Shift by thirteen."""
    return text.translate(_shift(13))


def _to_caesar(text: str, random: Random) -> str:
    """Choose the shift."""
    return text.translate(_shift(random.choice([by for by in range(1, 26) if by != 13])))


def _to_atbash(text: str, random: Random) -> str:
    """Swap a and z, b and y."""
    backwards = _SMALL[::-1]
    return text.translate(str.maketrans(_SMALL + _SMALL.upper(), backwards + backwards.upper()))


def _to_leet(text: str, random: Random) -> str:
    """Replace a, e, i, o, s and t."""
    return text.translate(_LEET)


def _to_morse(text: str, random: Random) -> str:
    """Leave out what Morse has no sign for."""
    plain = without_accents(text.lower()).replace("_", " ").replace("-", " ")
    words = ([_MORSE[c] for c in word if c in _MORSE] for word in plain.split())
    return " / ".join(" ".join(signs) for signs in words if signs)


def _to_braille(text: str, random: Random) -> str:
    """Replace letters and the common signs."""
    return "".join(_BRAILLE.get(character, character) for character in without_accents(text.lower()))


def _to_nato_alphabet(text: str, random: Random) -> str:
    """Separate words by a stroke."""
    return " | ".join(" ".join(_NATO.get(c, c) for c in word) for word in text.lower().split())


def _to_letter_numbers(text: str, random: Random) -> str:
    """Join the letters of a word by hyphens; digits keep a leading sign."""
    words = (
        "-".join(str(_SMALL.index(c) + 1) if c in _SMALL else f"#{c}" for c in word) for word in text.lower().split()
    )
    return " ".join(words)


def _to_pig_latin(text: str, random: Random) -> str:
    """Move the first consonants of each word to its end."""
    return _WORD.sub(lambda found: _pig(found.group()), text)


def _shift(by: int) -> dict[int, int]:
    turned = _SMALL[by:] + _SMALL[:by]
    return str.maketrans(_SMALL + _SMALL.upper(), turned + turned.upper())


def _pig(word: str) -> str:
    found = _PIG_HEAD.fullmatch(word)
    head, rest = found.groups() if found else ("", word)
    return f"{rest}{head}ay" if head and rest else f"{word}way"


Rot13Cipher = Encoding(name="rot13", title="ROT13.", encode=_to_rot13, latin=True)
CaesarCipher = Encoding(name="caesar", title="A Caesar shift other than ROT13.", encode=_to_caesar, latin=True)
AtbashCipher = Encoding(name="atbash", title="Atbash: the alphabet backwards.", encode=_to_atbash, latin=True)
LeetSpelling = Encoding(name="leet", title="Digits for letters: 1gn0r3.", encode=_to_leet, latin=True)
MorseCode = Encoding(
    name="morse",
    title="Morse code with a slash between words; case, accents and rarer signs are lost.",
    encode=_to_morse,
    latin=True,
)
BrailleLetters = Encoding(
    name="braille",
    title="Braille letters; case and accents are lost, digits stay as they are.",
    encode=_to_braille,
    latin=True,
)
NatoAlphabet = Encoding(
    name="nato_alphabet",
    title="Each letter by its word in the spelling alphabet. Our normaliser does not read it back.",
    encode=_to_nato_alphabet,
    latin=True,
    undone=False,
)
LetterNumbers = Encoding(
    name="letter_numbers",
    title="Each letter by its number in the alphabet: 9-7-14. Our normaliser does not read it back.",
    encode=_to_letter_numbers,
    latin=True,
    undone=False,
)
PigLatin = Encoding(
    name="pig_latin",
    title="Pig Latin: ignoreway. Our normaliser does not read it back.",
    encode=_to_pig_latin,
    latin=True,
    undone=False,
)
