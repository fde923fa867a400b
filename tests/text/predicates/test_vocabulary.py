"""The vocabulary: every form is there once, explained, with an example that is read; and the docs have them all."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from tests.tables import table

from proctor.text.predicates import VocabularyEntry, parse, vocabulary
from proctor.text.predicates.forms import FAMILIES, FORMS
from proctor.text.predicates.term import Form

DOCS = Path(__file__).parents[3] / "docs"


@table("entry", vocabulary(), ids=lambda entry: entry.form)
def test_every_entry_explains_itself(entry: VocabularyEntry) -> None:
    assert entry.meaning
    assert not entry.meaning.endswith(".")
    assert not {"BOUND", "TEXTS", "PRED", "NAME", "PATTERN"} & set(entry.form.replace(":", " ").split())


@table("form", FORMS, ids=lambda form: form.form)
def test_every_example_shows_its_form_and_is_canonical(form: Form) -> None:
    predicate = parse(form.example)
    assert form.form in {term.form for term in predicate.terms()}
    assert predicate.text == form.example


def test_no_spelling_is_there_twice() -> None:
    spellings = [spelling for form in FORMS for spelling in (form.form, *form.also)]
    assert len(spellings) == len(set(spellings))
    assert len(vocabulary()) > len(FORMS) == sum(map(len, FAMILIES.values()))


def test_the_docs_have_the_table_as_it_is() -> None:
    spec = importlib.util.spec_from_file_location("forms", DOCS / "forms.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = (DOCS / "predicates.md").read_text(encoding="utf-8")
    assert text == module.page("predicates.md"), "run: python docs/forms.py"
    assert all(entry.example.replace("|", "\\|") in text for entry in vocabulary())
