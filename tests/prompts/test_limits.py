"""Whatever a template asks for, it gets a bounded answer or a clear refusal, in bounded memory."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.profiles import scaled
from tests.prompts.hostile_templates import HOSTILE
from tests.tables import table

from proctor.core.errors import PromptError
from proctor.prompts import limits
from proctor.prompts.limits import RenderBudget, TooMuchError, measure
from proctor.prompts.load import parse_prompt
from proctor.prompts.render import compile_prompt

_MEMORY = 1_500_000_000
_PROGRAM = """
import json, sys
from proctor.prompts import limits
from proctor.core.errors import PromptError
from proctor.prompts.load import parse_prompt
from proctor.prompts.render import compile_prompt
from tests.prompts.hostile_templates import HOSTILE
for name in ("MOST_CHARACTERS", "MOST_WORK", "MOST_STEPS"):
    setattr(limits, name, getattr(limits, name) * int(sys.argv[1]) // 100)
found = {}
for name, template in HOSTILE.items():
    try:
        (message,) = compile_prompt(parse_prompt(template)).render({"xs": ["a"] * 1000})
        found[name] = len(message.content)
    except PromptError as error:
        found[name] = error.message
print(json.dumps(found))
"""


def _text(template: str, **values: Any) -> str:
    (message,) = compile_prompt(parse_prompt(template)).render(values)
    return message.content


def test_every_hostile_template_is_refused_in_bounded_memory() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(scaled(100))],  # part of the limits takes part of the time
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        cwd=Path(__file__).parents[2],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY)),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert set(found) == set(HOSTILE)
    assert {name: said for name, said in found.items() if not isinstance(said, str)} == {}
    assert not any("Traceback" in said or "MemoryError" in said for said in found.values())


def test_nothing_refills_a_budget() -> None:
    budget = RenderBudget()
    budget.spend(-1_000_000, work=-1_000_000)
    assert (budget.characters, budget.work) == (limits.MOST_CHARACTERS, limits.MOST_WORK)
    assert budget.steps == limits.MOST_STEPS - 1


@pytest.mark.parametrize("made", ["characters", "work", "steps"])
def test_a_budget_ends(made: str) -> None:
    budget = RenderBudget()
    setattr(budget, made, 3)
    for _ in range(3):
        budget.spend(made == "characters", work=made == "work")
    with pytest.raises(TooMuchError):
        budget.spend(made == "characters", work=made == "work")


@table(
    "value",
    ["text", 7, 2**4000, 1.5, None, True, ["a", {"b": [1, 2.5, None]}], ("a",), {"k": "v" * 100}, {"a": {"b": {}}}],
)
def test_a_value_prints_no_longer_than_it_was_measured(value: Any) -> None:
    assert len(str(value)) <= measure(value)


@table(
    ("template", "expected"),
    [
        ("{{ '{}: {}'.format(1, 2) }}", "1: 2"),
        ("{{ 'Order 12345: %s' % 'x' }}", "Order 12345: x"),
        ("{{ '%-5s|%05.1f' % ('a', 2) }}", "a    |002.0"),
        ("{{ '{:>5}|{a:.2f}'.format('x', a=1.5) }}", "    x|1.50"),
        ("{{ xs|sum }} {{ rows|sum(attribute='n') }} {{ [0.5]|sum(start=1) }}", "6 3 1.5"),
        ("{{ 'a b c'|wordwrap(3) }}", "a b\nc"),
        ("{{ 'a\\nb'|indent(2, true) }}", "  a\n  b"),
        ("{{ rows|tojson(indent=2)|length > 10 }}", "True"),
        ("{{ xs|map('string')|join('-') }} {{ rows|map(attribute='n')|list }}", "1-2-3 [1, 2]"),
        ("{{ xs|select('gt', 1)|list }} {{ rows|selectattr('n', 'eq', 2)|list|length }}", "[2, 3] 1"),
        ("{{ xs|batch(2, 0)|list }} {{ xs|slice(2)|map('list')|list }}", "[[1, 2], [3, 0]] [[1, 2], [3]]"),
        ("{% for g in rows|groupby('n') %}{{ g.grouper }}{{ g.list|length }};{% endfor %}", "11;21;"),
        ("{{ {'a': 1}['a'] }} {{ {'b': 2}.get('b') }} {{ rows[0]['n'] }} {{ xs[1:] }}", "1 2 1 [2, 3]"),
        ("{{ 'x' in 'xyz' and 2 in xs }} {{ 1 < 2 <= 2 }}", "True True"),
        ("{{ 'aXb'.split('X')|join(',') }} {{ ' a '.strip() }} {{ 'a'.upper() }}", "a,b a A"),
        ("{{ '7'|int + 1 }} {{ 7 // 2 }} {{ 7 / 2 }} {{ 3.14159|round(2) }}", "8 3 3.5 3.14"),
        ("{{ xs|first }}{{ xs|last }}{{ xs|length }}{{ xs|max }} {{ xs|reverse|list }}", "1333 [3, 2, 1]"),
        ("{{ xs|sort(reverse=true) }} {{ ['b', 'a', 'b']|unique|list }}", "[3, 2, 1] ['b', 'a']"),
        ("{% block b %}x{% endblock %}{{ self.b() }}", "xx"),
        ("{% filter upper %}a{% endfilter %}{% set y %}b{% endset %}{{ y }}", "Ab"),
        ("{% for i in xs if i is odd %}{{ i }}{{ '' if loop.last else ',' }}{% endfor %}", "1,3"),
        ("{{ gone|d('-') }} {{ xs is defined }} {{ xs is iterable }} {{ 'a'|pprint }}", "- True True 'a'"),
    ],
)
def test_ordinary_templates_work(template: str, expected: str) -> None:
    assert _text(template, xs=[1, 2, 3], rows=[{"n": 1}, {"n": 2}]) == expected


def test_a_long_document_passes_through_many_filters() -> None:
    document = "word " * 200_000
    assert _text("{{ d|trim|lower|upper|trim|replace('WORD', 'w')|length }}", d=document) == "399999"


def test_a_plain_prompt_is_bounded_too() -> None:
    prompt = parse_prompt("---\ntemplate: mustache\n---\n" + "{{x}}" * 20_000)
    with pytest.raises(PromptError, match="more than"):
        compile_prompt(prompt).render({"x": "a" * 100_000})
