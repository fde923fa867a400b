"""Ways to hide a text, written apart from the code that finds it."""

from __future__ import annotations

import base64
import codecs
import html
import json
import textwrap
from collections.abc import Callable
from urllib.parse import quote

__all__ = ["CASELESS", "ENCODERS", "Encoder"]

Encoder = Callable[[str], str]

_CYRILLIC = str.maketrans("aceopxyisjABCEHIKMOPTX", "асеорхуіѕјАВСЕНІКМОРТХ")
_LEET = str.maketrans("aeiostAEIOST", "431057431057")
_MORSE = {
    "a": ".-", "b": "-...", "c": "-.-.", "d": "-..", "e": ".", "f": "..-.", "g": "--.", "h": "....", "i": "..",
    "j": ".---", "k": "-.-", "l": ".-..", "m": "--", "n": "-.", "o": "---", "p": ".--.", "q": "--.-", "r": ".-.",
    "s": "...", "t": "-", "u": "..-", "v": "...-", "w": ".--", "x": "-..-", "y": "-.--", "z": "--..",
}  # fmt: skip
_BRAILLE = "⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵"
_UPSIDE = str.maketrans("abcdefghijklmnopqrstuvwxyz.", "ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍxʎz˙")


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _shift(by: int) -> Encoder:
    def encode(text: str) -> str:
        out = []
        for c in text:
            first = ord("a") if c.islower() else ord("A")
            out.append(chr((ord(c) - first + by) % 26 + first) if c.isascii() and c.isalpha() else c)
        return "".join(out)

    return encode


def _atbash(text: str) -> str:
    return "".join(chr(219 - ord(c)) if "a" <= c <= "z" else chr(155 - ord(c)) if "A" <= c <= "Z" else c for c in text)


def _styled(first_capital: int, first_small: int) -> Encoder:
    def encode(text: str) -> str:
        return "".join(
            chr(ord(c) - ord("A") + first_capital)
            if "A" <= c <= "Z"
            else chr(ord(c) - ord("a") + first_small)
            if "a" <= c <= "z"
            else c
            for c in text
        )

    return encode


def _selectors(text: str) -> str:
    return "😊" + "".join(chr(0xFE00 + b) if b < 16 else chr(0xE0100 + b - 16) for b in text.encode())


def _small_capitals(text: str) -> str:
    table = dict(zip("abcdefghijklmnoprstuvwyz", "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", strict=True))
    return "".join(table.get(c, c) for c in text.lower())


# Those that give the text back exactly.
ENCODERS: dict[str, Encoder] = {
    "plain": lambda text: text,
    "base64": _b64,
    "base64 unpadded": lambda text: _b64(text).rstrip("="),
    "base64 url-safe": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
    "base64 in lines": lambda text: "\n".join(textwrap.wrap(_b64(text), 16)),
    "base64 in fours": lambda text: " ".join(textwrap.wrap(_b64(text), 4)),
    "base64 of UTF-16": lambda text: base64.b64encode(text.encode("utf-16-le")).decode(),
    "base64 by word": lambda text: " ".join(_b64(word) for word in text.split(" ")),
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "base32 small": lambda text: base64.b32encode(text.encode()).decode().lower().rstrip("="),
    "hex": lambda text: text.encode().hex(),
    "hex capitals": lambda text: text.encode().hex().upper(),
    "hex 0x": lambda text: "0x" + text.encode().hex(),
    "hex spaced": lambda text: text.encode().hex(" "),
    "hex colons": lambda text: text.encode().hex(":"),
    "hex 0x each": lambda text: ", ".join(f"0x{b:02x}" for b in text.encode()),
    "hex by word": lambda text: " ".join(word.encode().hex() for word in text.split(" ")),
    "escape x": lambda text: "".join(f"\\x{b:02x}" for b in text.encode()),
    "escape u": lambda text: json.dumps("".join(f"\\u{ord(c):04x}" if c.isascii() else c for c in text))[1:-1].replace(
        "\\\\", "\\"
    ),
    "escape octal": lambda text: "".join(f"\\{b:03o}" for b in text.encode()),
    "percent": lambda text: "".join(f"%{b:02X}" for b in text.encode()),
    "percent spaces": quote,
    "html decimal": lambda text: "".join(f"&#{ord(c)};" for c in text),
    "html hex": lambda text: "".join(f"&#x{ord(c):x};" for c in text),
    "html twice": lambda text: html.escape("".join(f"&#{ord(c)};" for c in text)),
    "quoted-printable": lambda text: "".join(f"={b:02X}" for b in text.encode()),
    "binary": lambda text: " ".join(f"{b:08b}" for b in text.encode()),
    "binary run": lambda text: "".join(f"{b:08b}" for b in text.encode()),
    "decimal": lambda text: " ".join(str(b) for b in text.encode()),
    "decimal commas": lambda text: ", ".join(str(b) for b in text.encode()),
    "octal": lambda text: " ".join(f"{b:03o}" for b in text.encode()),
    "ascii85": lambda text: base64.a85encode(text.encode()).decode(),
    "ascii85 marked": lambda text: base64.a85encode(text.encode(), adobe=True).decode(),
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "caesar 3": _shift(3),
    "atbash": _atbash,
    "reversed": lambda text: text[::-1],
    "reversed words": lambda text: " ".join(word[::-1] for word in text.split(" ")),
    "override": lambda text: f"\u202e{text[::-1]}\u202c",
    "tags": lambda text: "".join(chr(0xE0000 + ord(c)) for c in text),
    "tags on an emoji": lambda text: "😊" + "".join(chr(0xE0000 + ord(c)) for c in text),
    "variation selectors": _selectors,
    "zero-width bits": lambda text: "".join(
        "\u2062" if bit == "0" else "\u2064" for b in text.encode() for bit in f"{b:08b}"
    ),
    "zero-width between": "\u200b".join,
    "soft hyphens": "\xad".join,
    "full-width": lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else "\u3000" for c in text),
    "mathematical": _styled(0x1D4D0, 0x1D4EA),
    "circled": _styled(0x24B6, 0x24D0),
    "cyrillic": lambda text: text.translate(_CYRILLIC),
    "struck out": lambda text: "".join(c + "\u0336" for c in text),
    "zalgo": lambda text: "".join(c + "\u0300\u0315\u0329\u0353" if c.isalpha() else c for c in text),
    "letters by spaces": " ".join,
    "letters by dots": ".".join,
    "letters by hyphens": lambda text: " ".join("-".join(word) for word in text.split(" ")),
    "quoted-printable soft lines": lambda text: "=\n".join(textwrap.wrap(text, 5, drop_whitespace=False)),
}  # fmt: skip

# Those that lose the case of letters.
CASELESS: dict[str, Encoder] = {
    "leet": lambda text: text.translate(_LEET),
    "morse": lambda text: " / ".join(" ".join(_MORSE.get(c, "") for c in word) for word in text.lower().split()),
    "braille": lambda text: "".join(_BRAILLE[ord(c) - 97] if c.isalpha() else c for c in text.lower()),
    "small capitals": _small_capitals,
    "negative squares": lambda text: "".join(
        chr(ord(c) - ord("A") + 0x1F170) if "A" <= c <= "Z" else c for c in text.upper()
    ),
    "regional indicators": lambda text: " ".join(
        "\u200b".join(chr(ord(c) - ord("A") + 0x1F1E6) for c in word) for word in text.upper().split()
    ),
    "upside down": lambda text: text.lower().translate(_UPSIDE)[::-1],
    "accents": lambda text: text.translate(str.maketrans("aeioucn", "áéïöûçñ")),
    "drawn out": lambda text: "".join(c * 3 if c in "aeiou" else c for c in text.lower()),
    "letters without gaps": lambda text: " ".join(text.replace(" ", "")),
    "glued": lambda text: text.replace(" ", ""),
    "fancy": lambda text: text.lower().translate(
        str.maketrans("abcdefhijklmnoprstuwxyz", "卂乃匚ᗪ乇千卄丨ﾌҜㄥ爪几ㄖ卩尺丂ㄒㄩ山乂ㄚ乙")
    ),
}
