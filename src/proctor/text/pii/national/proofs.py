"""Validate national numbers, by country: check digits and birth dates."""

from __future__ import annotations

from typing import Final

from proctor.text.lazy_pattern import Lazy
from proctor.text.pii.checks import day_of, iso7064_mod11_10, luhn, verhoeff, weighted

__all__ = [
    "aadhaar",
    "ahv",
    "belgian",
    "bsn",
    "china",
    "codice_fiscale",
    "cpf",
    "cpr",
    "cuit",
    "curp",
    "czech",
    "dni",
    "fodselsnummer",
    "hetu",
    "hkid",
    "individual_number",
    "israel",
    "itin",
    "medicare_au",
    "mykad",
    "nhs",
    "nie",
    "nif",
    "nino",
    "nip",
    "nir",
    "nric",
    "pan",
    "personnummer",
    "pesel",
    "ppsn",
    "rrn",
    "rut",
    "sin",
    "south_africa",
    "ssn",
    "steuer_id",
    "taiwan",
    "tckn",
    "tfn",
    "thai",
]  # fmt: skip

_DNI: Final = "TRWAGMYFPDXBNJZSQVHLCKE"
_ODD: Final = dict(
    zip("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16,
         10, 22, 25, 24, 23), strict=True)
)  # fmt: skip
_NINO: Final = Lazy(r"(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]")
_CODICE: Final = Lazy(r"[A-Z]{6}[0-9LMNP-V]{2}[A-EHLMPRST][0-9LMNP-V]{2}[A-Z][0-9LMNP-V]{3}[A-Z]")
_PAN: Final = Lazy(r"[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]")
_CURP: Final = Lazy(r"[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{2}[B-DF-HJ-NP-TV-Z]{3}[A-Z0-9]\d")
_TAIWAN: Final = "ABCDEFGHJKLMNPQRSTUVXYWZIO"
_HETU: Final = "0123456789ABCDEFHJKLMNPRSTUVWXY"


def ssn(number: str) -> bool:
    """United States, social security number."""
    return number[:3] not in ("000", "666") and number[0] != "9" and number[3:5] != "00" and number[5:] != "0000"


def itin(number: str) -> bool:
    """United States, taxpayer without social security."""
    return number[0] == "9" and (50 <= int(number[3:5]) <= 65 or 70 <= int(number[3:5]) <= 99)


def nino(number: str) -> bool:
    """United Kingdom, national insurance."""
    return _NINO.fullmatch(number.upper()) is not None


def nhs(number: str) -> bool:
    """United Kingdom, health service."""
    rest = 11 - weighted(number, range(10, 1, -1)) % 11
    return rest != 10 and rest % 11 == int(number[9])


def individual_number(number: str) -> bool:
    """Japan, マイナンバー: the twelfth digit is the statutory check digit."""
    total = sum(int(digit) * (n + 1 if n <= 6 else n - 5) for n, digit in enumerate(reversed(number[:11]), start=1))
    rest = total % 11
    return int(number[11]) == (0 if rest <= 1 else 11 - rest)


def steuer_id(number: str) -> bool:
    """Germany, tax."""
    return number[0] != "0" and len(set(number[:10])) < 10 and iso7064_mod11_10(number)


def nir(number: str) -> bool:
    """France, social security."""
    body = number[:13].upper().replace("2A", "19").replace("2B", "18")
    month = int(number[3:5]) if number[3:5].isdigit() else 0
    return (
        number[0] in "1278"
        and body.isdigit()
        and (1 <= month <= 12 or 20 <= month <= 42)
        and (97 - int(body) % 97 == int(number[13:]))
    )


def dni(number: str) -> bool:
    """Spain, citizens."""
    return number[-1].upper() == _DNI[int(number[:8]) % 23]


def nie(number: str) -> bool:
    """Spain, foreigners."""
    return number[0].upper() in "XYZ" and dni(str("XYZ".index(number[0].upper())) + number[1:])


def codice_fiscale(number: str) -> bool:
    """Italy."""
    written = number.upper()
    if _CODICE.fullmatch(written) is None:
        return False
    total = sum(_ODD[letter] for letter in written[:15:2]) + sum(
        int(letter, 36) % 10 if letter.isdigit() else ord(letter) - 65 for letter in written[1:15:2]
    )
    return chr(65 + total % 26) == written[15]


def aadhaar(number: str) -> bool:
    """India."""
    return number[0] not in "01" and len(set(number)) > 1 and verhoeff(number)


def pan(number: str) -> bool:
    """India, tax."""
    return _PAN.fullmatch(number) is not None


def china(number: str) -> bool:
    """China, residents."""
    if not number[:17].isdigit() or not day_of(int(number[6:10]), int(number[10:12]), int(number[12:14])):
        return False
    total = weighted(number, (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2))
    return "10X98765432"[total % 11] == number[17].upper()


def rrn(number: str) -> bool:
    """South Korea; its last digit is not a check digit since 2020."""
    century = {"1": 19, "2": 19, "3": 20, "4": 20, "5": 19, "6": 19, "7": 20, "8": 20, "9": 18, "0": 18}[number[6]]
    return day_of(century * 100 + int(number[:2]), int(number[2:4]), int(number[4:6]))


def cpf(number: str) -> bool:
    """Brazil."""
    if len(set(number)) == 1:
        return False
    for length in (9, 10):
        rest = weighted(number[:length], range(length + 1, 1, -1)) * 10 % 11 % 10
        if rest != int(number[length]):
            return False
    return True


def sin(number: str) -> bool:
    """Canada, social insurance."""
    return luhn(number)


def tfn(number: str) -> bool:
    """Australia, tax."""
    weights = (1, 4, 3, 7, 5, 8, 6, 9, 10) if len(number) == 9 else (10, 7, 8, 4, 6, 3, 5, 1)
    return weighted(number, weights) % 11 == 0


def medicare_au(number: str) -> bool:
    """Australia, health."""
    return number[0] in "23456" and weighted(number, (1, 3, 7, 9, 1, 3, 7, 9)) % 10 == int(number[8])


def nric(number: str) -> bool:
    """Singapore."""
    first, body, last = number[0].upper(), number[1:8], number[8].upper()
    if first not in "STFGM":
        return False
    total = weighted(body, (2, 7, 6, 5, 4, 3, 2)) + {"T": 4, "G": 4, "M": 3}.get(first, 0)
    table = {"S": "JZIHGFEDCBA", "T": "JZIHGFEDCBA", "F": "XWUTRQPNMLK", "G": "XWUTRQPNMLK", "M": "XWUTRQPNJLK"}[first]
    return table[(10 - total % 11) % 11 if first == "M" else total % 11] == last


def bsn(number: str) -> bool:
    """Netherlands."""
    return weighted(number, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0 and len(set(number)) > 1


def personnummer(number: str) -> bool:
    """Sweden."""
    short = number[-10:]
    day = int(short[4:6])
    return 1 <= int(short[2:4]) <= 12 and (1 <= day <= 31 or 61 <= day <= 91) and luhn(short)


def pesel(number: str) -> bool:
    """Poland."""
    month, day = int(number[2:4]) % 20, int(number[4:6])
    total = weighted(number, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3))
    return 1 <= month <= 12 and 1 <= day <= 31 and (10 - total % 10) % 10 == int(number[10])


def nip(number: str) -> bool:
    """Poland, tax."""
    return weighted(number, (6, 5, 7, 2, 3, 4, 5, 6, 7)) % 11 == int(number[9])


def hetu(number: str) -> bool:
    """Finland: birth date, century sign, three digits and a check character."""
    digits = number[:6] + number[-4:-1]
    right = _HETU[int(digits) % 31] == number[-1].upper()
    return right and 1 <= int(number[:2]) <= 31 and 1 <= int(number[2:4]) <= 12


def fodselsnummer(number: str) -> bool:
    """Norway: two check digits."""
    first = (11 - weighted(number, (3, 7, 6, 1, 8, 9, 4, 5, 2)) % 11) % 11
    second = (11 - weighted(number, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11) % 11
    day, month = int(number[:2]), int(number[2:4]) % 40
    return first == int(number[9]) and second == int(number[10]) and 1 <= day % 40 <= 31 and 1 <= month <= 12


def cpr(number: str) -> bool:
    """Denmark: begins with the birth date."""
    return 1 <= int(number[:2]) <= 31 and 1 <= int(number[2:4]) <= 12


def belgian(number: str) -> bool:
    """Belgium, national register."""
    body, check = number[:9], int(number[9:])
    return check in (97 - int(body) % 97, 97 - int("2" + body) % 97)


def ahv(number: str) -> bool:
    """Switzerland, old-age insurance."""
    return number.startswith("756") and (10 - weighted(number[:12], (1, 3) * 6) % 10) % 10 == int(number[12])


def nif(number: str) -> bool:
    """Portugal, tax."""
    rest = weighted(number, range(9, 1, -1)) % 11
    return int(number[8]) == (0 if rest < 2 else 11 - rest)


def tckn(number: str) -> bool:
    """Turkey."""
    values = [int(digit) for digit in number]
    tenth = (sum(values[0:9:2]) * 7 - sum(values[1:8:2])) % 10
    return values[0] != 0 and tenth == values[9] and sum(values[:10]) % 10 == values[10]


def israel(number: str) -> bool:
    """Israel."""
    return luhn(number.zfill(9))


def south_africa(number: str) -> bool:
    """South Africa: begins with the birth date."""
    return 1 <= int(number[2:4]) <= 12 and 1 <= int(number[4:6]) <= 31 and number[10] in "01" and luhn(number)


def curp(number: str) -> bool:
    """Mexico."""
    return _CURP.fullmatch(number) is not None and 1 <= int(number[6:8]) <= 12


def taiwan(number: str) -> bool:
    """Taiwan."""
    place = _TAIWAN.find(number[0].upper())
    if place < 0 or number[1] not in "1289":
        return False
    code = place + 10
    return (code // 10 + code % 10 * 9 + weighted(number[1:], (8, 7, 6, 5, 4, 3, 2, 1, 1))) % 10 == 0


def hkid(number: str) -> bool:
    """Hong Kong."""
    letters, digits = number[:-7].upper(), number[-7:-1]
    values = [36] * (2 - len(letters)) + [ord(letter) - 55 for letter in letters] + [int(digit) for digit in digits]
    rest = 11 - sum(value * weight for value, weight in zip(values, range(9, 1, -1), strict=True)) % 11
    return number[-1].upper() == "0123456789A0"[rest]


def thai(number: str) -> bool:
    """Thailand."""
    return (11 - weighted(number[:12], range(13, 1, -1)) % 11) % 10 == int(number[12])


def mykad(number: str) -> bool:
    """Malaysia: begins with the birth date."""
    return (
        1 <= int(number[2:4]) <= 12
        and 1 <= int(number[4:6]) <= 31
        and number[6:8] not in ("00", "17", "18", "19", "20")
    )


def rut(number: str) -> bool:
    """Chile."""
    total = sum(int(digit) * (2 + place % 6) for place, digit in enumerate(reversed(number[:-1])))
    return "0K987654321"[total % 11] == number[-1].upper()


def cuit(number: str) -> bool:
    """Argentina."""
    total = weighted(number, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2))
    return number[:2] in ("20", "23", "24", "27") and (11 - total % 11) % 11 == int(number[10])


def czech(number: str) -> bool:
    """Czechia and Slovakia: begins with the birth date, divisible by eleven."""
    month = int(number[2:4]) % 50 % 20
    return len(number) == 10 and int(number) % 11 == 0 and 1 <= month <= 12 and 1 <= int(number[4:6]) <= 31


def ppsn(number: str) -> bool:
    """Ireland."""
    extra = (ord(number[8].upper()) - 64) * 9 if len(number) == 9 else 0
    return "WABCDEFGHIJKLMNOPQRSTUV"[(weighted(number[:7], range(8, 1, -1)) + extra) % 23] == number[7].upper()
