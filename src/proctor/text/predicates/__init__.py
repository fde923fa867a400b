"""Predicates: small statements about a text, such as ``words <= 80``, that code can check.

A rule of a prompt that can be said as one is judged by it alone: exactly, at once, and the same way each time.
"""

from proctor.text.predicates.forms import vocabulary
from proctor.text.predicates.predicate import Predicate, parse
from proctor.text.predicates.scanner import PredicateError
from proctor.text.predicates.term import Checked, Term, VocabularyEntry

__all__ = ["Checked", "Predicate", "PredicateError", "Term", "VocabularyEntry", "parse", "vocabulary"]
