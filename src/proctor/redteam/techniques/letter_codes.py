"""Rewrite letters by other letters, signs or numbers: ciphers, Morse, Braille, leet, spelling alphabets."""

from __future__ import annotations

import re
import string
from random import Random
from typing import ClassVar, Final

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


class Rot13Cipher(Encoding):
    """ROT13."""

    name: ClassVar[str] = "rot13"
    latin: ClassVar[bool] = True

    def encode(self, text: str, random: Random) -> str:
        """Shift by thirteen."""
        return text.translate(_shift(13))


class CaesarCipher(Encoding):
    """A Caesar shift other than ROT13."""

    name: ClassVar[str] = "caesar"
    latin: ClassVar[bool] = True

    def encode(self, text: str, random: Random) -> str:
        """Choose the shift."""
        return text.translate(_shift(random.choice([by for by in range(1, 26) if by != 13])))


class AtbashCipher(Encoding):
    """Atbash: the alphabet backwards."""

    name: ClassVar[str] = "atbash"
    latin: ClassVar[bool] = True

    def encode(self, text: str, random: Random) -> str:
        """Swap a and z, b and y."""
        backwards = _SMALL[::-1]
        return text.translate(str.maketrans(_SMALL + _SMALL.upper(), backwards + backwards.upper()))


class LeetSpelling(Encoding):
    """Digits for letters: 1gn0r3."""

    name: ClassVar[str] = "leet"
    latin: ClassVar[bool] = True

    def encode(self, text: str, random: Random) -> str:
        """Replace a, e, i, o, s and t."""
        return text.translate(_LEET)


class MorseCode(Encoding):
    """Morse code with a slash between words; case, accents and rarer signs are lost."""

    name: ClassVar[str] = "morse"
    latin: ClassVar[bool] = True

    def encode(self, text: str, random: Random) -> str:
        """Leave out what Morse has no sign for."""
        plain = without_accents(text.lower()).replace("_", " ").replace("-", " ")
        words = ([_MORSE[c] for c in word if c in _MORSE] for word in plain.split())
        return " / ".join(" ".join(signs) for signs in words if signs)


class BrailleLetters(Encoding):
    """Braille letters; case and accents are lost, digits stay as they are."""

    name: ClassVar[str] = "braille"
    latin: ClassVar[bool] = True

    def encode(self, text: str, random: Random) -> str:
        """Replace letters and the common signs."""
        return "".join(_BRAILLE.get(character, character) for character in without_accents(text.lower()))


class NatoAlphabet(Encoding):
    """Each letter by its word in the spelling alphabet. Our normaliser does not read it back."""

    name: ClassVar[str] = "nato_alphabet"
    latin: ClassVar[bool] = True
    undone: ClassVar[bool] = False

    def encode(self, text: str, random: Random) -> str:
        """Separate words by a stroke."""
        return " | ".join(" ".join(_NATO.get(c, c) for c in word) for word in text.lower().split())


class LetterNumbers(Encoding):
    """Each letter by its number in the alphabet: 9-7-14. Our normaliser does not read it back."""

    name: ClassVar[str] = "letter_numbers"
    latin: ClassVar[bool] = True
    undone: ClassVar[bool] = False

    def encode(self, text: str, random: Random) -> str:
        """Join the letters of a word by hyphens; digits keep a leading sign."""
        words = (
            "-".join(str(_SMALL.index(c) + 1) if c in _SMALL else f"#{c}" for c in word)
            for word in text.lower().split()
        )
        return " ".join(words)


class PigLatin(Encoding):
    """Pig Latin: ignoreway. Our normaliser does not read it back."""

    name: ClassVar[str] = "pig_latin"
    latin: ClassVar[bool] = True
    undone: ClassVar[bool] = False

    def encode(self, text: str, random: Random) -> str:
        """Move the first consonants of each word to its end."""
        return _WORD.sub(lambda found: _pig(found.group()), text)


def _shift(by: int) -> dict[int, int]:
    turned = _SMALL[by:] + _SMALL[:by]
    return str.maketrans(_SMALL + _SMALL.upper(), turned + turned.upper())


def _pig(word: str) -> str:
    found = _PIG_HEAD.fullmatch(word)
    head, rest = found.groups() if found else ("", word)
    return f"{rest}{head}ay" if head and rest else f"{word}way"
