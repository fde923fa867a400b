"""Check digit algorithms."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import date
from typing import Final

__all__ = [
    "base58_checked", "bech32_checked", "day_of", "iso7064_mod11_10", "luhn", "mod97", "verhoeff", "weighted",
]  # fmt: skip

_VERHOEFF_ROUND: Final = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2, 3, 4, 0, 6, 7, 8, 9, 5), (2, 3, 4, 0, 1, 7, 8, 9, 5, 6),
    (3, 4, 0, 1, 2, 8, 9, 5, 6, 7), (4, 0, 1, 2, 3, 9, 5, 6, 7, 8), (5, 9, 8, 7, 6, 0, 4, 3, 2, 1),
    (6, 5, 9, 8, 7, 1, 0, 4, 3, 2), (7, 6, 5, 9, 8, 2, 1, 0, 4, 3), (8, 7, 6, 5, 9, 3, 2, 1, 0, 4),
    (9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
)  # fmt: skip
_VERHOEFF_PLACE: Final = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 5, 7, 6, 2, 8, 3, 0, 9, 4), (5, 8, 0, 3, 7, 9, 6, 1, 4, 2),
    (8, 9, 1, 6, 0, 4, 3, 5, 2, 7), (9, 4, 5, 3, 1, 2, 6, 8, 7, 0), (4, 2, 8, 6, 5, 7, 3, 9, 0, 1),
    (2, 7, 9, 3, 8, 0, 6, 4, 1, 5), (7, 0, 4, 6, 9, 1, 3, 2, 5, 8),
)  # fmt: skip
_DOUBLED: Final = dict(zip("0123456789", (0, 2, 4, 6, 8, 1, 3, 5, 7, 9), strict=True))
_BASE58: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BECH32: Final = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_BECH32_PARTS: Final = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)


def luhn(digits: str) -> bool:
    """Whether the last digit is the Luhn check digit of those before it."""
    doubled = sum(_DOUBLED[digit] for digit in digits[-2::-2])
    return (doubled + sum(map(int, digits[-1::-2]))) % 10 == 0


def weighted(digits: str, weights: Sequence[int]) -> int:
    """Return the weighted sum of the digits."""
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def verhoeff(digits: str) -> bool:
    """Whether the last digit is valid by Verhoeff's scheme."""
    state = 0
    for place, digit in enumerate(reversed(digits)):
        state = _VERHOEFF_ROUND[state][_VERHOEFF_PLACE[place % 8][int(digit)]]
    return state == 0


def iso7064_mod11_10(digits: str) -> bool:
    """Whether the last digit is valid by ISO 7064, MOD 11,10."""
    product = 10
    for digit in digits[:-1]:
        rest = (int(digit) + product) % 10 or 10
        product = rest * 2 % 11
    return (11 - product) % 10 == int(digits[-1])


def mod97(characters: str) -> int:
    """Return the remainder by 97 of digits and letters, with A as 10 and Z as 35."""
    return int("".join(str(int(character, 36)) for character in characters)) % 97


def day_of(year: int, month: int, day: int) -> bool:
    """Whether the date exists."""
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def base58_checked(address: str) -> bool:
    """Whether the last four bytes are the hash of those before them, as in a Bitcoin address."""
    number = 0
    for character in address:
        number = number * 58 + _BASE58.index(character)
    if number.bit_length() > 200:
        return False
    data = number.to_bytes(25, "big")
    return hashlib.sha256(hashlib.sha256(data[:-4]).digest()).digest()[:4] == data[-4:]


def bech32_checked(address: str) -> bool:
    """Whether the last six characters are the checksum of those before them, as in a newer Bitcoin address."""
    prefix, _, data = address.lower().rpartition("1")
    values = [ord(letter) >> 5 for letter in prefix] + [0] + [ord(letter) & 31 for letter in prefix]
    state = 1
    for value in (*values, *(_BECH32.find(letter) for letter in data)):
        if value < 0:
            return False
        top = state >> 25
        state = (state & 0x1FFFFFF) << 5 ^ value
        for place, part in enumerate(_BECH32_PARTS):
            state ^= part if top >> place & 1 else 0
    return state in (1, 0x2BC830A3)
