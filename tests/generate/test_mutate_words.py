from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.generate.mutate_words import negated, swapped, template_parts, weakened


@table(
    ("said", "now"),
    [
        ("Return only the tag.", "Return not only the tag."),
        ("You must cite a source.", "You must not cite a source."),
        ("You must not cite a source.", "You must cite a source."),
        ("Do not apologise.", "Apologise."),
        ("Never mention prices.", "Always mention prices."),
        ("Use at least three tags.", "Use fewer than three tags."),
        ("Use at most 5 words.", "Use more than 5 words."),
        ("It does not exceed 80 words", "It has more than 80 words"),
        ("Answer in 50 words or fewer.", "Answer in more than 50 words."),
        ("Please list the names.", "Please do not list the names."),
        ("Your answer is an array.", "Your answer is not an array."),
        ("If you are unsure, return NA.", "If you are unsure, do not return NA."),
        ("100文字以内で答える", "100文字以上で答える"),
    ],
)
def test_a_statement_is_turned_round(said: str, now: str) -> None:
    assert negated(said) == now


@table(
    ("said", "now"),
    [
        ("It must not exceed 80 words.", "It must not exceed 160 words."),
        ("Use at least three tags.", "Use at least 1 tags."),
        ("Write between 10 and 20 words.", "Write between 5 and 40 words."),
        ("Return only the tag.", "Return mainly the tag."),
        ("You must cite a source.", "You may cite a source."),
        ("You must not cite a source.", "You would preferably not cite a source."),
        ("Do not apologise.", "Try not to apologise."),
        ("Always answer in English.", "Usually answer in English."),
        ("Write a poem.", "You may write a poem."),
        ("必ず日本語で", "できれば日本語で"),
    ],
)
def test_a_statement_is_weakened(said: str, now: str) -> None:
    assert weakened(said) == now


@table(
    ("said", "now"),
    [
        ("Reply as valid JSON.", "Reply as plain prose."),
        ("Write in English.", "Write in French."),
        ("Wrap it in a <p> tag.", "Wrap it in a <div> tag."),
        ("Give bullet points.", "Give a running paragraph."),
        ("Names: <comma_separated_list>", "Names: <line_separated_list>"),
    ],
)
def test_another_form_is_asked_for(said: str, now: str) -> None:
    assert swapped(said) == now


def test_what_commands_nothing_cannot_be_changed_but_has_its_opposite() -> None:
    assert weakened("Green grass.") is None
    assert swapped("Green grass.") is None
    assert negated("Green grass.") is None
    assert negated("Green grass {{here}}.", "The grass is red.") == "{{here}}The grass is red."


@given(
    st.lists(
        st.sampled_from(
            [
                "must ",
                "only ",
                "{{ only }}",
                "{{must}}",
                "at most 5 words ",
                "{% if always %}",
                "Return ",
                "JSON ",
                "🙂",
            ]
        ),
        max_size=12,
    )
)
def test_no_change_reaches_into_a_variable(pieces: list[str]) -> None:
    text = "".join(pieces)
    for change in (negated, weakened, swapped):
        changed = change(text)
        assert changed is None or template_parts(changed) == template_parts(text)


@given(st.text(max_size=200))
def test_any_text_is_changed_or_left_without_a_crash(text: str) -> None:
    for change in (negated, weakened, swapped):
        assert change(text) != ""
