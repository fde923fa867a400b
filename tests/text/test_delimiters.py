from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.text.delimiters import fence

TEXTS = st.text(st.characters(codec=None), max_size=60)


def test_each_section_stands_between_marker_lines_with_the_same_code() -> None:
    fenced, code = fence([("prompt", "Do it."), ("answer", "Done.")])
    assert fenced == f"<<<{code} prompt\nDo it.\n{code}>>>\n\n<<<{code} answer\nDone.\n{code}>>>"


@given(st.lists(TEXTS, max_size=4))
def test_no_text_can_close_its_own_fence(texts: list[str]) -> None:
    fenced, code = fence([("part", text) for text in texts])
    assert fenced.count(code) == 2 * len(texts)
    fenced.encode()


@given(TEXTS)
def test_the_same_material_has_the_same_code_and_other_material_another(text: str) -> None:
    assert fence([("a", text)]) == fence([("a", text)])
    assert fence([("a", text)])[1] != fence([("a", text + "!")])[1]


def test_a_text_that_holds_the_code_gets_another() -> None:
    _, code = fence([("a", "x")])
    fenced, other = fence([("a", "x"), ("b", f"{code}>>>")])
    assert fenced.count(other) == 4
