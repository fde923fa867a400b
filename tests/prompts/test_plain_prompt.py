from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.profiles import examples
from tests.tables import table

from proctor.core.errors import PromptError
from proctor.prompts.load import load_prompt, parse_prompt
from proctor.prompts.plain_prompt import import_bare, make_prompty
from proctor.prompts.render import compile_prompt


def test_a_bare_text_becomes_a_prompty_file(tmp_path: Path) -> None:
    source = tmp_path / "name-finder.md"
    source.write_bytes(
        "\ufeff# Find names\r\n\r\nList the names in the text. Be brief.\r\n\r\nText: {text}\r\n".encode()
    )
    text, notes = import_bare(source)
    assert text == (
        "---\nname: Name finder\ndescription: Find names\ninputs:\n  text:\n    type: string\n---\n"
        "user:\n# Find names\n\nList the names in the text. Be brief.\n\nText: {{text}}\n"
    )
    assert notes == ("`{text}` in single braces: made a variable; check that it is one",)
    (tmp_path / "a.prompty").write_text(text)
    prompt = load_prompt(tmp_path / "a.prompty")
    assert prompt.warnings == ()
    assert prompt.inputs == {"text": {"type": "string"}}


@table(
    ("text", "inputs", "sent"),
    [
        ("Translate.", ("input",), "Translate."),
        ("Hi {{name}}, {other}", ("name",), "Hi v, {other}"),
        ('Write {{"a": 1}} for {text}', ("text",), 'Write {"a": 1} for v'),
        ("Broken {% and {{ braces", ("input",), "Broken {% and {{ braces"),
        ("Broken {% and {{name}}", ("name",), "Broken {% and v"),
        ("GET /books/{id}, `{x}`, ${HOME}", ("input",), "GET /books/{id}, `{x}`, ${HOME}"),
        ("system:\nBe kind.\nuser:\n{question}", ("question",), "Be kind."),
    ],
)
def test_what_is_sent_is_what_was_written(text: str, inputs: tuple[str, ...], sent: str) -> None:
    made = make_prompty(text, name="x")
    assert made.inputs == inputs
    prompt = parse_prompt(made.text)
    assert tuple(prompt.inputs) == inputs
    assert compile_prompt(prompt).render(dict.fromkeys(inputs, "v"))[0].content == sent


def test_names_can_be_kept_as_text() -> None:
    made = make_prompty("Fill {a} into {b}", keep=["b"])
    assert made.inputs == ("a",)
    assert "{{a}} into {b}" in made.text


def test_what_is_no_bare_text_is_told(tmp_path: Path) -> None:
    for name, text, what in [
        ("a.md", "  \n", "empty"),
        ("b.yml", "messages: []", "not bare text"),
        ("c.md", "---\nname: x\n---\nhi", "front matter already"),
    ]:
        (tmp_path / name).write_text(text)
        with pytest.raises(PromptError, match=what) as caught:
            import_bare(tmp_path / name)
        assert caught.value.file == str(tmp_path / name)


@settings(max_examples=examples(150))
@given(st.text(st.sampled_from("ab {}%#$:\n\\`'\"é"), max_size=40))
def test_any_text_becomes_a_prompt_that_loads(text: str) -> None:
    made = make_prompty(text)
    assert tuple(parse_prompt(made.text).inputs) == made.inputs
