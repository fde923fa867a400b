"""Step predicates: small checkable statements about a conversation, such as ``confirmation before write``.

A prompt rule that can be written as a step predicate is judged by code alone, which reports the step that broke it.
"""

from proctor.scorers.conversation.steps.forms import vocabulary
from proctor.scorers.conversation.steps.predicate import StepPredicate, parse_rule, parse_steps
from proctor.scorers.conversation.steps.step import StepsView, TraceStep, view_of
from proctor.scorers.conversation.steps.term import StepsChecked

__all__ = [
    "StepPredicate",
    "StepsChecked",
    "StepsView",
    "TraceStep",
    "parse_rule",
    "parse_steps",
    "view_of",
    "vocabulary",
]
