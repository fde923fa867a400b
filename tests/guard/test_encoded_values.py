"""Values in codes."""

from __future__ import annotations

import base64

from hypothesis import given
from hypothesis import strategies as st

from proctor.guard.encoded_values import coded_values


def test_each_code_is_undone_in_its_place() -> None:
    value = "4111-1111-1111-1111"
    forms = {
        "base64": base64.b64encode(value.encode()).decode(),
        "hex": value.encode().hex(),
        "percent": "".join(f"%{byte:02X}" for byte in value.encode()),
        "html": "".join(f"&#{byte};" for byte in value.encode()),
    }
    for kind, form in forms.items():
        text = f"see {form} ok"
        found = [each for each in coded_values(text) if each.kind == kind]
        assert [(each.text, text[each.start : each.end]) for each in found] == [(value, form)]


def test_words_are_no_codes() -> None:
    assert not list(coded_values("Where is the parcel with the Wintergartenmoebel? Order 12345678."))


@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda raw: base64.b64encode(raw).decode()))
def test_no_text_breaks_it(text: str) -> None:
    for each in coded_values(text):
        assert 0 <= each.start < each.end <= len(text)
        assert each.text.isascii()
