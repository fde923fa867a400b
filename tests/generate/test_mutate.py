from __future__ import annotations

import re
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from proctor.core.rule import Rule, Span
from proctor.generate.mutate import Mutant, choose_mutants, make_mutants
from proctor.generate.mutate_places import edited, own_stretch, without
from proctor.generate.spec import Specification
from proctor.prompts.load import parse_prompt
from proctor.prompts.prompt import Prompt, PromptMessage

TEXT = "Describe the picture. Use at most 80 words and write in English. Never mention prices.\n\n{{text}}"


def _prompt(text: str = TEXT) -> Prompt:
    return parse_prompt(text)


def _rule(quote: str, text: str, predicate: str | None = None, prompt: str = TEXT) -> Rule:
    at = prompt.index(quote)
    return Rule(text=text, predicate=predicate, source=Span(start=at, end=at + len(quote), quote=quote))


WORDS = _rule("Use at most 80 words", "The output has at most 80 words.", "words <= 80")
ENGLISH = _rule("write in English", "The output is in English.", "language is en")
PRICES = _rule("Never mention prices.", "The output never mentions prices.")


def _found(prompt: Prompt) -> list[Rule]:
    """A stand-in for the extractor: finds the three statements, and nothing else."""
    found = []
    for pattern, text, predicate in (
        (r"at most (\d+) words", "at most", "words <= {}"),
        (r"[Ww]rite in English", "english", "language is en"),
        (r"Never mention prices", "prices", None),
    ):
        for match in re.finditer(pattern, prompt.text):
            said = predicate.format(*match.groups()) if predicate else None
            span = Span(start=match.start(), end=match.end(), quote=match.group())
            found.append(Rule(text=f"{text} {match.group()}", predicate=said, source=span))
    return found


def _mutants(*rules: Rule, text: str = TEXT) -> dict[tuple[str, str], Mutant]:
    made = make_mutants(_prompt(text), Specification(rules=rules), extract=_found).made
    return {(each.operator, each.rules[0]): each for each in made}


def test_each_rule_is_changed_in_each_way_that_applies() -> None:
    made = _mutants(WORDS, ENGLISH, PRICES)
    body = "\n\n{{text}}"
    assert made["drop", WORDS.id].prompt.text == (
        "Describe the picture. write in English. Never mention prices." + body
    )
    assert "more than 80 words" in made["negate", WORDS.id].prompt.text
    assert "at most 160 words" in made["weaken", WORDS.id].prompt.text
    assert "write in French" in made["swap", ENGLISH.id].prompt.text
    assert "Always mention prices." in made["negate", PRICES.id].prompt.text
    assert "Rarely mention prices." in made["weaken", PRICES.id].prompt.text
    assert ("swap", PRICES.id) not in made
    for each in made.values():
        assert each.prompt.text.count("{{text}}") == 1


def test_a_mutant_shows_what_was_changed() -> None:
    mutant = _mutants(WORDS)["weaken", WORDS.id]
    diff = mutant.diff(_prompt())
    assert "-Describe the picture. Use at most 80 words" in diff
    assert "+Describe the picture. Use at most 160 words" in diff


def test_a_switched_off_rule_and_one_without_a_place_make_no_mutant() -> None:
    off = Rule(text="Off.", source=WORDS.source, disabled=True)
    lost = Rule(text="Lost.", source=Span(start=0, end=4, quote="gone"))
    nowhere = Rule(text="Nowhere.")
    found = make_mutants(_prompt(), Specification(rules=(off, lost, nowhere)), extract=_found)
    assert not found.made
    assert {each.rule for each in found.left_out} == {lost.id, nowhere.id}


def test_a_rule_that_moved_is_found_by_its_quote() -> None:
    moved = "A new beginning.\n" + TEXT
    made = make_mutants(_prompt(moved), Specification(rules=(PRICES,)), extract=_found).made
    assert any("Always mention prices." in each.prompt.text for each in made)


def test_what_is_said_twice_is_equivalent_when_dropped_and_not_when_negated() -> None:
    text = TEXT.replace("Describe the picture.", "Answer with at most 80 words.")
    rule = _rule("Use at most 80 words", WORDS.text, WORDS.predicate, text)
    found = make_mutants(_prompt(text), Specification(rules=(rule,)), extract=_found)
    assert {each.operator for each in found.made} == {"negate"}
    assert {each.operator for each in found.left_out if "another place" in each.reason} == {"drop", "weaken"}


def test_what_a_closed_list_of_answers_implies_is_equivalent() -> None:
    text = "Answer yes or no. Use at most 80 words."
    rule = _rule("Use at most 80 words.", WORDS.text, WORDS.predicate, text)

    def extract(prompt: Prompt) -> list[Rule]:
        return [*_found(prompt), Rule(text="yes or no", predicate='one of "yes", "no"')]

    found = make_mutants(parse_prompt(text), Specification(rules=(rule,)), extract=extract)
    assert any("follows from another rule" in each.reason for each in found.left_out if each.operator == "drop")


def test_rules_of_one_sentence_are_parted_by_their_words() -> None:
    quote = "Use at most 80 words and write in English."
    words = _rule(quote, WORDS.text, WORDS.predicate)
    english = _rule(quote, ENGLISH.text, ENGLISH.predicate)
    first, second = (own_stretch(TEXT, rule, (words, english)) for rule in (words, english))
    assert first is not None
    assert second is not None
    assert TEXT[slice(*first)] == "Use at most 80 words"
    assert TEXT[slice(*second)] == "write in English."


SPANISH = """Clasifica los mensajes de los clientes. Devuelve únicamente un objeto JSON con estos campos:

- "motivo": uno de "defecto", "retraso", "otro"
- "urgente": true o false
"""


def test_a_rule_inside_a_larger_one_is_dropped_whole() -> None:
    item = '"motivo": uno de "defecto", "retraso", "otro"'
    motive = _rule(item, item, prompt=SPANISH)
    every = _rule(
        SPANISH[SPANISH.index("Devuelve") :].strip(), "Un objeto JSON, motivo, retraso, otro.", prompt=SPANISH
    )
    start = SPANISH.index(item)
    assert own_stretch(SPANISH, motive, (motive, every)) == (start, start + len(item))


def test_words_are_exchanged_only_in_their_own_language() -> None:
    quote = "Devuelve únicamente un objeto JSON con estos campos:"
    rule = _rule(quote, quote, prompt=SPANISH)
    for opposite, operators in (
        ("La respuesta incumple esta regla: JSON.", ["drop", "negate"]),
        ("The output is no JSON object.", ["drop"]),
    ):
        against = Rule(text=opposite, polarity="negative", inverse_of=rule.id)
        found = make_mutants(_prompt(SPANISH), Specification(rules=(rule, against)), extract=_found)
        assert [each.operator for each in found.made] == operators
        assert {each.reason for each in found.left_out} == {"no rewriting is known in the language of the prompt (es)"}


def test_two_rules_whose_change_is_the_same_share_a_mutant() -> None:
    twin = Rule(text="No prices are mentioned.", source=PRICES.source)
    made = make_mutants(_prompt(), Specification(rules=(PRICES, twin)), extract=_found).made
    assert all(set(each.rules) == {PRICES.id, twin.id} for each in made if each.operator == "drop")
    assert len({each.id for each in made}) == len(made)


def test_a_bullet_is_cut_with_its_mark_and_a_clause_with_its_joint() -> None:
    text = "Rules:\n- be brief\n- be kind\nEnd."
    start = text.index("be brief")
    cut = without(text, start, start + len("be brief"))
    assert text[: cut[0]] + text[cut[1] :] == "Rules:\n- be kind\nEnd."
    joined = "Be brief and be kind."
    start = joined.index("be kind")
    cut = without(joined, start, start + len("be kind"))
    assert joined[: cut[0]] + joined[cut[1] :] == "Be brief."


@given(st.lists(st.text(max_size=12), min_size=1, max_size=4), st.data())
def test_only_the_stretch_is_replaced_whatever_the_messages(texts: list[str], data: st.DataObject) -> None:
    prompt = Prompt(name="p", messages=tuple(PromptMessage(role="user", text=text) for text in texts))
    number = data.draw(st.integers(0, len(texts) - 1))
    before = sum(len(text) + 2 for text in texts[:number])
    start = data.draw(st.integers(0, len(texts[number])))
    end = data.draw(st.integers(start, len(texts[number])))
    changed = edited(prompt, before + start, before + end, "X")
    assert changed is not None
    assert changed.text == prompt.text[: before + start] + "X" + prompt.text[before + end :]
    assert [message.text for message in changed.messages].count("") >= texts.count("") - 1


def test_a_stretch_over_two_messages_is_in_neither() -> None:
    prompt = Prompt(name="p", messages=(PromptMessage(role="system", text="ab"), PromptMessage(role="user", text="cd")))
    assert edited(prompt, 1, 5, "X") is None


def test_a_choice_is_even_over_rules_and_operators_and_the_same_for_the_same_seed() -> None:
    made = make_mutants(_prompt(), Specification(rules=(WORDS, ENGLISH, PRICES)), extract=_found).made
    few = choose_mutants(made, most=3, seed=7)
    assert Counter(rule for each in few for rule in each.rules) == {WORDS.id: 1, ENGLISH.id: 1, PRICES.id: 1}
    assert len({each.operator for each in few}) == 3
    assert few == choose_mutants(made, most=3, seed=7)
    assert choose_mutants(made, most=None) == made
