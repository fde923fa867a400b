"""Long prompts are read in seconds: no step reads the whole prompt for each of its sentences."""

from __future__ import annotations

from time import process_time

from proctor.generate.extract.answer_outline import outline_of
from proctor.generate.extract.part_presence import find_presence
from proctor.generate.extract.prompt_scope import PromptScope
from proctor.generate.extract.rules import extract_rules
from proctor.generate.extract.statements import statements_of
from proctor.prompts.load import parse_prompt


def test_many_fixed_replies_take_no_cubic_time() -> None:
    text = "\n".join(f'If the user asks about {number}, reply "NO {number}".' for number in range(400))
    started = process_time()
    assert len(extract_rules(parse_prompt(text))) == 400
    assert process_time() - started < 8  # half a minute, when every rule looked for every reply in all of the prompt


def test_elements_of_a_long_prompt_are_looked_for_once() -> None:
    told = "Our store opens at nine and closes at six, and on Sundays it is closed for everyone all of the day.\n"
    prompt = parse_prompt("Answer as:\n<answer>text</answer>\n<source>page</source>\n\nNothing else.\n\n" + told * 2000)
    statements = statements_of(prompt)
    outline = outline_of(prompt.text, statements, None, (), html=False)
    assert {part.name for part in outline if part.kind == "tag"} == {"answer", "source"}
    started = process_time()
    list(find_presence(statements, outline, PromptScope(language="en"), prompt.text))
    assert process_time() - started < 8  # half a minute, when each sentence read the whole prompt
