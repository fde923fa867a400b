"""Closed lists of answers in prompts of other languages: labels after a colon, of which the answer is one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from proctor.generate.extract.labels import LabelSet, listed
from proctor.generate.extract.quoted_literals import find_runs
from proctor.generate.extract.statements import Statement
from proctor.text.lazy_pattern import Lazy

__all__ = ["foreign_labels"]

_CHOICE: Final = Lazy(
    r"\b(?:kategorien?|klassen?|labels?|etiketten?|catégories?|étiquettes?|classes?|categorías?|etiquetas?|"
    r"clases?|categorias?|categori[ae]|classi|etichett[ae]|eine[rn]? der|eines der|une? des|une? de ces|un[oa] de|"
    r"uma das|um dos|un[oa] d[ei]\w*|een van)\b|类别|分类|标签|之一|いずれか",
    re.IGNORECASE,
)
_ONLY: Final = Lazy(
    r"\b(?:nur|ausschließlich|uniquement|seulement|solo|sólo|solamente|únicamente|apenas|somente|soltanto|alleen|enkel)\b|只|仅",
    re.IGNORECASE,
)
_AFTER: Final = re.compile(r"[:：]\s*(?P<list>[^:：\n.。;]{3,300})[.。]?\s*$")


def foreign_labels(statement: Statement, following: Sequence[Statement]) -> LabelSet | None:
    """Return the labels after the colon of a sentence; ``alone`` if it, or the next, says that only one is given."""
    match = _AFTER.search(statement.text)
    if match is None or not _CHOICE.search(statement.text[: match.start()]):
        return None
    bare = re.sub(r"\s+(?:oder|ou|o|e|of|或)\s+", " or ", match["list"])
    quoted = [run.texts for run in find_runs(match["list"]) if len(run.texts) > 1]
    labels = quoted[0] if quoted else listed(bare)
    if len(labels) < 2 or not (quoted or all(label.isupper() or " " not in label for label in labels)):
        return None
    near = [statement, *following[:1]]
    alone = any(_ONLY.search(each.text) and "json" not in each.text.lower() for each in near)
    return LabelSet(labels=tuple(labels), start=statement.start, end=statement.end, alone=alone)
