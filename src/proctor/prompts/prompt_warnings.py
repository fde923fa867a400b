"""Warnings about a prompt that is readable but probably not what its author meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from proctor.core.decode import closest

__all__ = ["notes_on_names", "notes_on_sections", "notes_on_variables", "single_braces"]

# `{text}` as a variable in Python and LangChain; not `${x}`, not `{{x}}`, not `/books/{id}`, not code.
_SINGLE = re.compile(r"(?<![\w{$\\/`\"'])\{([A-Za-z_][A-Za-z0-9_]*)\}(?![\w}/`\"'])")
_SECTION = re.compile(r"\{\{\s*[#^/>&]|\{\{\{")
_HYPHENED = re.compile(r"\{\{\s*([A-Za-z_]\w*(?:-[A-Za-z_]\w*)+)\s*\}\}")
_MAX_NAMED = 5
_MAX_COMPARED = 100


def single_braces(text: str) -> tuple[str, ...]:
    """Return the names in single braces that look like variables, in order of appearance."""
    return tuple(dict.fromkeys(_SINGLE.findall(text)))


def notes_on_variables(
    texts: Sequence[str], variables: Sequence[str], declared: Mapping[str, Any], sample: Mapping[str, Any]
) -> list[str]:
    """Return warnings about variables: in single braces, declared but unused, sampled but not declared."""
    used = set(variables)
    single = [name for name in single_braces("\n\n".join(texts)) if not used or (name in declared and name not in used)]
    unused = [name for name in declared if name not in used and name not in single]
    known = [*declared, *(name for name in variables if name not in declared)] or ["input"]
    strange = [name for name in sample if name not in used and name not in known]
    return [
        *_named(
            single, lambda name: f"`{{{name}}}` is not a variable and is sent as it stands: write `{{{{{name}}}}}`"
        ),
        *_named(unused, lambda name: f"input `{name}` is declared, and the text does not use it"),
        *_named(strange, lambda name: f"sample: there is no input `{name}`" + _meant(name, known)),
    ]


def _named(names: Sequence[str], say: Callable[[str], str]) -> list[str]:
    """Return one warning per name, and one for the rest if there are many."""
    notes = [say(name) for name in names[:_MAX_NAMED]]
    return [*notes, f"(and {len(names) - _MAX_NAMED} more like this)"] if len(names) > _MAX_NAMED else notes


def _meant(name: str, known: Sequence[str]) -> str:
    guess = known[0] if len(known) == 1 else closest(name, known[:_MAX_COMPARED])
    return f": did you mean `{guess}`?" if guess else ""


def notes_on_names(texts: Sequence[str]) -> list[str]:
    """Warn about hyphens in names: in Jinja they subtract."""
    names = list(dict.fromkeys(name for text in texts for name in _HYPHENED.findall(text)))
    return _named(names, lambda name: f"`{{{{{name}}}}}` is a subtraction: write `{{{{{name.replace('-', '_')}}}}}`")


def notes_on_sections(texts: Sequence[str]) -> list[str]:
    """Warn about Mustache sections, which are not supported."""
    if any(_SECTION.search(text) for text in texts):
        return ["template: sections like `{{#list}}` are not done, only `{{name}}` is filled in"]
    return []
