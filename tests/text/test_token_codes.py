from __future__ import annotations

import base64
import gzip

from tests.tables import table

from proctor.text.token_codes import decoded_tokens

VALUE = "id=LT-448120"


@table(
    ("text", "coded"),
    [
        (base64.b64encode(VALUE.encode()).decode(), "base64"),
        (f"x/{base64.urlsafe_b64encode(VALUE.encode()).decode().rstrip('=')}/y", "base64"),
        (base64.b32encode(VALUE.encode()).decode().lower().rstrip("="), "base32"),
        (VALUE.encode().hex(), "hex"),
        (VALUE.encode().hex("-"), "hex"),
        (".".join(str(ord(c)) for c in VALUE), "character codes"),
        (base64.b64encode(gzip.compress(VALUE.encode(), mtime=0)).decode().replace("/", "_"), "base64"),
        (base64.b64encode(VALUE.encode().hex().encode()).decode(), "hex inside base64"),
        (VALUE[::-1], "reversed"),
        ("vq=YG-448120", "rot13"),
    ],
)
def test_a_value_is_found_in_its_encoding(text: str, coded: str) -> None:
    assert (coded, VALUE) in set(decoded_tokens(text))


def test_pieces_are_joined() -> None:
    assert ("pieces", "LT448120") in set(decoded_tokens("a=LT&b=448&c=120"))
