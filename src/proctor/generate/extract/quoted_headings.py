"""Headings that a sentence quotes in a row, all of which the answer has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.generate.extract.conditions import is_conditional
from proctor.generate.extract.predicate_text import quoted
from proctor.generate.extract.quantity_words import NEGATION
from proctor.text.lazy_pattern import Lazy

__all__ = ["find_quoted_headings"]

_HEADING: Final = Lazy(
    r"\b(?:headings?|headers?|section titles|sections?|parts|überschrift\w*|abschnitt\w*|teile[n]?|titres?|"
    r"rubriques?|sections|parties|encabezad\w+|secciones|apartados|cabeçalhos|seções|títulos|titoli|sezioni|parti|"
    r"koppen|delen|nagłów\w+|sekcj\w+|заголов\w+|раздел\w*|rubriker|overskrifter|nadpis\w*|başlık\w*|bölüm\w*)\b|"
    r"标题|部分|小节|見出し|項目|제목|부분|عناوين|शीर्षक",
    re.IGNORECASE,
)
_HEADING_QUOTE: Final = re.compile(
    r"„([^“”\"\n]{1,60})[“”\"]|“([^”\n]{1,60})”|\"([^\"\n]{1,60})\"|«\s*([^»\n]{1,60}?)\s*»|"
    r"`([^`\n]{1,60})`|【[^】\n]{1,30}】|「([^」\n]{1,40})」"
)
_SLASHED: Final = re.compile(r"[:：]\s*(?P<list>[^/\n:：]{3,60}(?:\s/\s[^/\n:：]{3,60}){2,})\s*$")
_LONGEST_JOINT: Final = 5  # characters of a word between two headings


def find_quoted_headings(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield that all headings are there which a sentence quotes in a row: ``three sections: "A", "B" and "C"``."""
    named = _HEADING.search(text)
    if (
        named is None
        or re.search(rf"{NEGATION}[^.;,:]{{0,40}}$", text[: named.start()], re.IGNORECASE)
        or is_conditional(text)
    ):
        return
    quotes = [match for match in _HEADING_QUOTE.finditer(text, named.end())]
    run = quotes[:1]
    for match in quotes[1:]:
        if len(text[run[-1].end() : match.start()].strip(" ,，、")) > _LONGEST_JOINT:
            break
        run.append(match)
    if len(run) > 1:
        texts = [next((group for group in match.groups() if group), match.group()).lstrip("# ") for match in run]
        yield f"contains all {quoted(texts)}", named.start(), run[-1].end()
    elif slashed := _SLASHED.search(text, named.end()):
        pieces = [piece.strip() for piece in slashed["list"].split(" / ")]
        yield f"contains all {quoted(pieces)}", named.start(), slashed.end()
