"""Whatever a prompt file holds: it loads, or it is told what is wrong; nothing crashes, hangs or is run."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.profiles import examples
from tests.tables import table

from proctor.core.errors import ProctorError, PromptError
from proctor.prompts.load import load_prompt, parse_prompt
from proctor.prompts.render import compile_prompt
from proctor.prompts.test_config import told

NAMES = st.sampled_from(["a.prompty", "a.prompt.yml", "a.yml", "a.md", "a.txt", "a.metric.prompty"])
PIECES = st.lists(
    st.sampled_from(
        [
            *(
                "---\n",
                "name: x\n",
                "inputs:\n",
                "  a: {type: integer}\n",
                "  b: 1\n",
                "sample: s.csv\n",
                "testData:\n",
            ),
            *(
                "  - a: 1\n",
                "scenarios:\n",
                "- x\n",
                "messages:\n",
                "  - role: user\n",
                "    content: |\n",
                "      {{a}}\n",
            ),
            *(
                "system:\n",
                "user:\n",
                "{{a}}",
                "{{",
                "}}",
                "{%",
                "%}",
                "{% raw %}",
                "{#",
                "{b}",
                "&x ",
                "*x",
                "<<: ",
                "!!t",
            ),
            *(
                "'",
                '"',
                "[",
                "]",
                "{",
                "}",
                "\t",
                "\r\n",
                "\ufeff",
                "é",
                "\u2028",
                "outputs: 5\n",
                "model: {options: 1}\n",
            ),
            *(
                "instructions: {rules: 1}\n",
                "template: mustache\n",
                "tags: 1\n",
                "jsonSchema: '{'\n",
                "| ",
                "> ",
                ": ",
                "? ",
            ),
        ]
    ),
    max_size=25,
).map("".join)


def read(path: Path) -> None:
    prompt = load_prompt(path)
    told(prompt)
    compile_prompt(prompt).render(dict.fromkeys(prompt.inputs, "x"), "hi")


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(NAMES, st.binary(max_size=200))
def test_random_bytes(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    with suppress(ProctorError):
        read(tmp_path / name)


@settings(max_examples=examples(200), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(NAMES, PIECES)
def test_pieces_of_prompt_files(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_bytes(text.encode())
    with suppress(ProctorError):
        read(tmp_path / name)


def laughs(kind: str) -> str:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    for one, other in zip("abcdefghi", "bcdefghij", strict=True):
        lines.append(f"{other}: &{other} [" + ",".join([f"*{one}"] * 10) + "]")
    return "\n".join(lines) + "\n" if kind == "yml" else "---\n" + "\n".join(lines) + "\n---\nx"


LARGE = 1_000_000


@table(
    ("name", "text", "what"),
    [
        ("a.md", "x" * 10_000_000, "larger than 4 MB"),
        ("a.yml", "x: " + "y" * 10_000_000, "larger than 4 MB"),
        ("a.yml", laughs("yml"), "too large"),
        ("a.prompty", laughs("prompty"), "too large"),
        ("a.yml", "a:\n" + "- " * 100_000 + "x\n", "nested too deeply"),
        ("a.yml", "? " * 100_000 + "x\n", "nested too deeply"),
        ("a.yml", "[" * 100_000, "nested too deeply"),
        ("a.yml", "".join(" " * depth + "a:\n" for depth in range(2_000)), "nested too deeply"),
        ("a.yml", "messages: !!python/object/apply:os.system ['touch hacked']", "tag"),
        ("a.md", "user:\n" * (LARGE // 6), "messages"),
        ("a.md", "{{a}}" * (LARGE // 5), "places to fill in"),
        ("a.md", "{{ " + "(" * 5_000 + "1" + ")" * 5_000 + " }}", "not valid"),
        ("a.md", "{% for a in b %}" * 25 + "{% endfor %}" * 25, "not valid"),
        ("a.md", "{% if a %}" * 5_000 + "{% endif %}" * 5_000, "not valid"),
        ("a.md", "{{ " + "not " * 20_000 + "a }}", "not valid"),
        ("a.md", "{{ " + "9" * 10_000 + " }}", "not valid"),
        ("a.md", "{{ " + "a~" * 20_000 + "a }}", "not valid"),
        ("a.md", "{# " * 1_000, "not valid"),
    ],
    ids=lambda value: value[:24] if isinstance(value, str) else None,
)
def test_what_is_too_much_is_refused(tmp_path: Path, name: str, text: str, what: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(PromptError, match=what) as caught:
        read(tmp_path / name)
    assert caught.value.file == str(tmp_path / name)
    assert len(str(caught.value)) < 1_000


@table(
    "text",
    [
        " " * LARGE,
        "user" + " " * LARGE,
        "user[" * (LARGE // 5),
        "#" * LARGE,
        "---\n" * (LARGE // 4),
        "---\n" + ("---" + " " * 1_000 + "x\n") * 3_000,
        "{a} " * (LARGE // 4),
        "{" + "a" * LARGE,
        "---\ntemplate: mustache\n---\n" + "{{ " * (LARGE // 3),
        "---\ntemplate: mustache\n---\n" + ("{{" + " " * 2_000) * 1_000,
        "---\n" + "".join(f"key{number}: 1\n" for number in range(5_000)) + "---\nx",
        "---\nsample:\n" + "".join(f"  k{number}: 1\n" for number in range(5_000)) + "---\n{{a}}",
        "---\na: |\n" + " " * 5_000 + "deep text is not deep data\n---\nx",
    ],
    ids=lambda text: repr(text[:20]),
)
def test_what_is_merely_long_is_read(text: str) -> None:
    prompt = parse_prompt(text)
    compile_prompt(prompt).render(dict.fromkeys(prompt.inputs, "x"))
    assert len(prompt.warnings) < 60


@table(
    "text",
    [
        "{{ 10 ** (10 ** 10) }}",
        "{{ 10 ** 10 ** 10 ** 10 ** 10 }}",
        "{{ 'a' * 10 ** 9 }}",
        "{{ range(10 ** 9) | list }}",
        "{{ 'x' | center(999999999) }}",
        "{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% set n = namespace(a='x') %}{% for i in range(60) %}{% set n.a = n.a ~ n.a %}{% endfor %}{{ n.a }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ cycler.__init__.__globals__.os.popen('touch hacked').read() }}",
        "{{ self._TemplateReference__context }}",
        "{{ '' | attr('__class__') }}",
        "{{ '{0.__class__.__mro__}'.format(1) }}",
        "{{ (1).__reduce_ex__(2) }}",
        "{% import 'os' as os %}{{ os.system('touch hacked') }}",
        "{% include '/etc/hostname' %}",
        "{% extends '/etc/hostname' %}",
    ],
)
def test_templates_run_nothing_and_use_nothing_up(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    prompt = parse_prompt(text)
    compiled = compile_prompt(prompt)
    with pytest.raises(PromptError):
        compiled.render(dict.fromkeys(prompt.inputs, "x"))
    assert list(tmp_path.iterdir()) == []


def test_a_power_that_is_bearable_is_made() -> None:
    (message,) = compile_prompt(parse_prompt("{{ 10**10**10 }}")).render({})  # Jinja raises from the left
    assert message.content == str(10**100)
