"""Extract words that an output must have or must not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.generate.extract.aspects import Aspect, quoted, quoted_texts
from proctor.generate.extract.banned_words import is_template
from proctor.text.lazy_pattern import Lazy

__all__ = ["find_mentions"]

_Q: Final = r"(?:\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|`[^`\n]{1,200}`|'[^'\n]{2,200}'(?!\w))"
_LIST: Final = rf"(?P<list>{_Q}(?:(?:\s*,\s*(?:or |and )?|\s+or\s+|\s+and\s+){_Q})*)"
_THE: Final = (
    r"(?:\s+(?:the|any of the|a|an|exact|following|these)\b)*\s*(?:(?:exact )?(?:word|words|phrase|"
    r"phrases|term|terms|expression|text|sentence|disclaimer|string)s?:?)?\s+"
)
_WANTED: Final = Lazy(
    rf"\b(?:include|includes|mention|mentions|contain|contains|use|add|append|insert|"
    rf"say)\b{_THE}{_LIST}",
    re.IGNORECASE,
)
_BARRED: Final = Lazy(
    r"\b(?:do not|don[’']t|never|avoid|must not|should not|cannot|without|not|none(?: of (?:them|"
    r"the \w+))?)(?:\s+ever)?(?:\s+(?:use|"
    rf"using|mention|mentioning|say|saying|include|including|write|contains?|mentions|uses))?\b{_THE}{_LIST}",
    re.IGNORECASE,
)
_LOOSE: Final = Lazy(
    r"\b(?:like|such as|e\.g\.?|for example|similar to)\s*$|\bor\s+(?:similar|equivalent)", re.IGNORECASE
)


def find_mentions(clause: str) -> Iterator[Aspect]:
    """Yield quoted words that must, or must not, occur in the output."""
    if match := _BARRED.search(clause):
        if not re.search(
            r"\b(?:unless|except|at the (?:beginning|start|end)|start|begin|end)\b", clause, re.IGNORECASE
        ):
            words = quoted_texts(match.group("list"))
            if any(map(is_template, words)):
                return
            yield Aspect(
                text=f"The output has none of these words: {quoted(words)}.",
                predicate=f"contains none {quoted(words)} as words ignoring case",
                start=match.start(),
                end=match.end(),
                kind="content",
            )
        return
    match = _WANTED.search(clause)
    if (
        match
        and not _LOOSE.search(clause, 0, match.start("list"))
        and not re.match(r"\s+(?:for|to|when|if|as|in place)\b", clause[match.end() :])
        and not re.search(r"\b(?:instead|replace|rather than)\b", clause, re.IGNORECASE)
    ):
        words = quoted_texts(match.group("list"))
        if any(map(is_template, words)):
            return
        either = bool(re.search(r"\bor\b", match.group("list")))
        form = "contains any" if either else "contains all" if len(words) > 1 else "contains"
        yield Aspect(
            text=f"The output contains {quoted(words)}.",
            predicate=f"{form} {quoted(words)} ignoring case",
            start=match.start(),
            end=match.end(),
            kind="content",
        )
