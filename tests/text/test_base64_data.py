from __future__ import annotations

import base64

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.base64_data import unpack_base64


@given(st.binary(max_size=200), st.booleans(), st.booleans())
def test_either_alphabet_is_unpacked_with_or_without_padding(data: bytes, url_safe: bool, padded: bool) -> None:
    text = (base64.urlsafe_b64encode if url_safe else base64.b64encode)(data).decode()
    assert unpack_base64(text if padded else text.rstrip("=")) == data


def test_lines_are_joined() -> None:
    assert unpack_base64(base64.encodebytes(b"x" * 200).decode()) == b"x" * 200


@table("text", ["two words", "a", "käse", "ab=cd", "ab!d"])
def test_anything_else_is_not_base64(text: str) -> None:
    assert unpack_base64(text) is None
