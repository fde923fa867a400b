"""What is known of a prompt as a whole before its sentences are read."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PromptScope"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptScope:
    """The language of a prompt, its inputs, and the shape of its answer.

    ``fields`` are the keys of the requested JSON, ``nested`` are keys of objects inside a field, each with that field;
    ``array`` is whether the answer is an array, ``blank`` what stands for a missing value. ``labels`` are the allowed
    answers and ``special`` the replies that are fixed for some case. ``each`` is the name of each of the things that
    the answer is, and the form of its predicates; ``line_labels`` are the labels of its lines.
    """

    language: str = ""
    inputs: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    nested: tuple[tuple[str, str], ...] = ()
    structured: bool = False
    array: bool = False
    blank: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    special: tuple[str, ...] = ()
    html: bool = False
    each: tuple[str, str] = ("", "")
    line_labels: tuple[str, ...] = ()
    persona: str = ""  # the name that the prompt gives the model
