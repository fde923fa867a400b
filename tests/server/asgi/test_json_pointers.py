from __future__ import annotations

import pytest

from proctor.server.asgi.json_pointers import at_pointer, check_pointer, made_at, value_at
from tests.tables import table

DATA = {"a": {"b/c": ["x", {"text": "y"}]}, "m": [{"t": "1"}, {"t": "2"}], "n": 7, "~": "tilde", "": "empty"}


@table(
    ("pointer", "texts"),
    [
        ("/a/b~1c", ["x", "y"]),
        ("/a/b~1c/0", ["x"]),
        ("/m/*/t", ["1", "2"]),
        ("/m/1/t", ["2"]),
        ("/m/9/t", []),
        ("/n", []),
        ("/a", ["x", "y"]),
        ("/m", ["1", "2"]),
        ("/~0", ["tilde"]),
        ("/", ["empty"]),
        ("/no/way", []),
    ],
)
def test_a_pointer_leads_to_texts(pointer: str, texts: list[str]) -> None:
    assert [slot.text for slot in at_pointer(DATA, pointer)] == texts


def test_a_pointer_leads_to_a_value_and_makes_one() -> None:
    assert value_at(DATA, "/n") == "7"
    assert value_at(DATA, "/m/0/t") == "1"
    assert value_at(DATA, "/a") is None
    assert made_at("/out/0/text", "hi") == {"out": [{"text": "hi"}]}
    assert made_at("", "hi") == "hi"
    with pytest.raises(ValueError, match="begins with /"):
        check_pointer("a/b")
