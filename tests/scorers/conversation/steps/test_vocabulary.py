"""The vocabulary: every form is there once, explained, with an example that is read; and the docs have them all."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from proctor.scorers.conversation.steps import parse_steps, vocabulary
from proctor.scorers.conversation.steps.forms import FORMS
from proctor.scorers.conversation.steps.term import StepForm
from proctor.text.predicates import VocabularyEntry
from tests.tables import table

DOCS = Path(__file__).parents[4] / "docs"


@table("entry", vocabulary(), ids=lambda entry: entry.form)
def test_every_entry_explains_itself(entry: VocabularyEntry) -> None:
    assert entry.meaning
    assert not entry.meaning.endswith(".")
    assert parse_steps(entry.example).text == entry.example


@table("form", FORMS, ids=lambda form: form.form)
def test_every_example_shows_its_form(form: StepForm) -> None:
    assert form.form in {term.form for term in parse_steps(form.example).terms()}


@table("form", [form for form in FORMS if form.options], ids=lambda form: form.form)
def test_every_option_is_read_and_written(form: StepForm) -> None:
    bare = form.example
    for option in form.options:
        bare = bare.replace(f" {option}", "")
    for option in form.options:
        assert parse_steps(f"{bare} {option}").text == f"{bare} {option}"


def test_no_spelling_is_there_twice() -> None:
    spellings = [spelling for form in FORMS for spelling in (form.form, *form.also)]
    assert len(spellings) == len(set(spellings))


def test_the_docs_have_the_table_as_it_is() -> None:
    spec = importlib.util.spec_from_file_location("forms", DOCS / "forms.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = (DOCS / "trace_rules.md").read_text(encoding="utf-8")
    assert text == module.page("trace_rules.md"), "run: python docs/forms.py"
