from __future__ import annotations

import base64

from tests.tables import table

from proctor.text.embedded_data import embedded_text

SVG = "<svg/>"


@table(
    ("rest", "text"),
    [
        (f"image/svg+xml;base64,{base64.b64encode(SVG.encode()).decode()}", SVG),
        ("image/svg+xml,%3Csvg/%3E", SVG),
        ("text/html,<b>", "<b>"),
        (",plain", "plain"),
        ("image/png;base64,aGVsbG8=", ""),
        ("image/svg+xml;base64,***", ""),
        ("", ""),
    ],
)
def test_only_texts_are_read(rest: str, text: str) -> None:
    assert embedded_text(rest) == text
