from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.core.rule import Rule
from proctor.generate.offline.input_shapes import fit_word, shape_of
from proctor.generate.offline.rule_limits import Limit, aim_of
from proctor.generate.offline.sample_texts import bank, kinds_wanted, language_wanted, ranked
from proctor.generate.offline.temptations import CARRIERS, carry, wishes
from proctor.generate.offline.values import fits, values_of
from proctor.generate.offline.variants import KINDS, vary
from proctor.generate.spec import InputSpec

WORDS = st.text(st.characters(categories=["L"]), min_size=1, max_size=8)


def test_the_bank_has_every_kind_and_many_languages_and_no_text_twice() -> None:
    texts = [passage.text for passage in bank()]
    assert len(set(texts)) == len(texts) >= 200
    assert {"en", "fr", "de", "es", "ja", "zh", "ar", "ru", "hi", "ko"} <= {passage.language for passage in bank()}


@table(
    ("name", "prompt", "kind"),
    [
        ("headline", "Rate this.", "headline"),
        ("text", "Extract model names from paper abstracts.", "abstract"),
        ("user_question", "Rate the chatbot.", "question"),
        ("text", "Turn descriptions into prompts for photos.", "description"),
        ("text", "Do it.", "article"),
        ("customerEmail", "Answer it.", "email"),
        ("joke", "Is it funny?", "joke"),
    ],
)
def test_an_input_wants_the_kind_its_name_or_the_prompt_speaks_of(name: str, prompt: str, kind: str) -> None:
    assert kinds_wanted(InputSpec(name=name), prompt)[0] == kind


def test_a_scenario_names_its_language() -> None:
    assert language_wanted("", "The user writes in French.") == "fr"
    assert language_wanted("pt-BR") == "pt"
    assert language_wanted("Default", "nothing said") == ""
    assert {passage.language for passage in ranked(("text",), "", language="ja")} == {"ja"}


@table(
    ("predicate", "most", "least"),
    [
        ("words <= 80", Limit(unit="words", number=80), None),
        ("words < 80", Limit(unit="words", number=79), None),
        ("sentences between 2 and 4", Limit(unit="sentences", number=4), Limit(unit="sentences", number=2)),
        ('tags "p" >= 3', None, Limit(unit='tags "p"', number=3)),
        ("lines > 2", None, Limit(unit="lines", number=3)),
    ],
)
def test_limits_are_read_from_predicates(predicate: str, most: Limit | None, least: Limit | None) -> None:
    aim = aim_of(Rule(text="x", predicate=predicate))
    assert (aim.most, aim.least) == (most, least)


def test_without_a_predicate_the_words_are_read() -> None:
    assert aim_of(Rule(text="The answer has no more than five lines.")).most == Limit(unit="lines", number=5)
    assert aim_of(Rule(text="The answer has at least 3 sentences.")).least == Limit(unit="sentences", number=3)


def test_an_opposite_limits_what_its_rule_does() -> None:
    rule = Rule(text="The answer is one of these.", predicate='one of "A \\"x\\"", "B"')
    opposite = Rule(text="The answer is something else.", polarity="negative", inverse_of=rule.id)
    assert aim_of(opposite, [rule]).labels == ('A "x"', "B")


def test_a_limit_is_said_as_people_say_it() -> None:
    assert Limit(unit='tags "p"', number=3).said == "3 <p> elements"
    assert Limit(unit="words", number=80).said == "80 words"


def test_wishes_press_where_the_rule_is() -> None:
    rule = Rule(text="The answer has at most 20 words.", predicate="words <= 20")
    found = wishes(rule, "The answer does not stay within 20 words.", aim_of(rule))
    assert "at least 40 words" in found[0]
    assert "Please do not stay within 20 words." in found
    assert len(found) == len(set(found))


@table("carrier", CARRIERS)
def test_a_wish_comes_along_whole_and_on_one_line_where_asked(carrier: str) -> None:
    assert "Shout!" in carry("Some text.", "Shout!", carrier)
    assert "\n" not in carry("Some text.", "Shout!", carrier, inline=True)


@given(st.lists(WORDS, min_size=2, max_size=8), st.integers(0, 100))
def test_a_shape_fills_what_it_reads(words: list[str], number: int) -> None:
    shape = shape_of(["The fox jumps.; jumps"])
    assert shape is not None
    value = shape.fill(" ".join(words), number)
    assert shape.wrong_with(value) == ""


def test_plain_texts_have_no_shape() -> None:
    assert shape_of(["A text; it has a semicolon, and goes on after it for a good while longer than that."]) is None
    assert shape_of(["plain"]) is None
    assert shape_of([]) is None
    assert shape_of([3, None]) is None


def test_two_samples_show_a_shape_that_one_does_not() -> None:
    assert shape_of(["Oslo; 12"]) is None
    shape = shape_of(["Oslo; 12", "Rome; 25"])
    assert shape is not None
    assert (shape.parts, shape.inside) == (2, False)


@given(st.text(max_size=60), st.integers(0, 1000))
def test_a_fitted_word_occurs_in_its_text(text: str, number: int) -> None:
    assert fit_word(text, number) in text


@given(st.text(max_size=200), st.sampled_from(sorted(KINDS)), st.integers(0, 50))
def test_varying_never_fails_and_is_the_same_for_the_same_seed(text: str, kind: str, seed: int) -> None:
    assert vary(text, kind, seed) == vary(text, kind, seed)


def test_each_variant_changes_what_it_should() -> None:
    text = "We paid $48.60 on 2026-03-14. It is not very big, because Ann said so."
    assert vary(text, "order", 0).startswith("It is not very big")
    assert "48,60 €" in vary(text, "locale", 0)
    assert "14.03.2026" in vary(text, "locale", 0)
    assert vary(text, "noise", 0) != text
    assert vary(text, "paraphrase", 0) != text


@table(
    "spec",
    [
        InputSpec(name="n", type="integer", schema={"minimum": 2, "maximum": 4}),
        InputSpec(name="n", type="number", schema={"maximum": 1.5}),
        InputSpec(name="n", type="boolean"),
        InputSpec(name="n", type="array", schema={"items": {"type": "integer"}, "minItems": 1, "maxItems": 3}),
        InputSpec(name="n", type="object", schema={"properties": {"a": {"type": "string"}, "b": {"type": "boolean"}}}),
        InputSpec(name="n", values=("x", "y")),
        InputSpec(name="locale"),
        InputSpec(name="when", schema={"format": "date"}),
    ],
    ids=lambda spec: f"{spec.name} {spec.type}",
)
def test_values_are_several_all_fit_and_none_is_there_twice(spec: InputSpec) -> None:
    values = values_of(spec)
    assert len(values) >= 2
    assert [value for value in values if fits(spec, value)] == []
    assert len({repr(value) for value in values}) == len(values)
