"""Predicates: small checkable statements about a text, such as ``words <= 80``.

A prompt rule that can be written as a predicate is judged by code alone: exact, fast and reproducible.
"""

from proctor.text.predicates.forms import vocabulary
from proctor.text.predicates.predicate import Predicate, parse
from proctor.text.predicates.scanner import PredicateError
from proctor.text.predicates.term import Checked, Term, VocabularyEntry

__all__ = ["Checked", "Predicate", "PredicateError", "Term", "VocabularyEntry", "parse", "vocabulary"]
