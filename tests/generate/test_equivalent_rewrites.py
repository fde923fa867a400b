"""Rewordings that ask for the same: the words differ, the rules do not."""

from __future__ import annotations

from proctor.generate.equivalent_rewrites import make_shams
from proctor.generate.extract import extract_rules
from proctor.prompts.load import parse_prompt

PROMPT = (
    'system:\nDo not use emojis. Use at most 30 words.\n- Reply in English.\n- Say "Do not worry" at the end.\n\n'
    "user:\n{{question}} - do not answer\n"
)


def test_each_sham_differs_from_the_prompt_and_keeps_its_rules() -> None:
    prompt = parse_prompt(PROMPT)
    wanted = sorted(rule.predicate or "" for rule in extract_rules(prompt))
    shams = make_shams(prompt)
    assert [each.kind for each in shams] == ["opening", "synonyms", "layout"]
    for each in shams:
        assert each.prompt.text != prompt.text
        assert each.prompt.messages[1:] == prompt.messages[1:]
        assert sorted(rule.predicate or "" for rule in extract_rules(each.prompt)) == wanted


def test_synonyms_leave_what_is_quoted_and_are_exchanged_once() -> None:
    synonyms = next(each for each in make_shams(parse_prompt(PROMPT)) if each.kind == "synonyms")
    text = synonyms.prompt.messages[0].text
    assert "Don't use emojis. Use no more than 30 words." in text
    assert "- Respond in English." in text
    assert '"Do not worry"' in text
    assert "+Don't use" in synonyms.diff(parse_prompt(PROMPT))


def test_what_cannot_be_reworded_is_left_out() -> None:
    assert [each.kind for each in make_shams(parse_prompt("system:\nBe brief\nuser:\n{{x}}\n"))] == ["opening"]
