from __future__ import annotations

from tests.tables import table

from proctor.text.code_spans import code_spans


@table(
    ("text", "code"),
    [
        ("a `b` c", ["`b`"]),
        ("a ``b ` c`` d", []),
        ("a\n```py\nb\n```\nc `d`", ["```py\nb\n```", "`d`"]),
        ("a\n~~~\nb ``` c\n~~~\nd", ["~~~\nb ``` c\n~~~"]),
        ("a\n```\nb", ["```\nb"]),
        ("a ` b\n\nc ` d", []),
        ("plain", []),
    ],
)
def test_code_is_found(text: str, code: list[str]) -> None:
    assert [text[start:end] for start, end in code_spans(text)] == code
