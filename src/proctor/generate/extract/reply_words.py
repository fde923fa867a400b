"""Words by which a prompt fixes a text word for word, and the rest of a line that is such a text without quotes."""

from __future__ import annotations

import re
from typing import Final

from proctor.generate.extract.vocabulary import worded
from proctor.text.lazy_pattern import Lazy

__all__ = ["LITERAL_LINE", "NO_REPLY", "ONLY", "REPLY"]

REPLY: Final = (
    r"(?:answer\w*|repl(?:y|ies)|respon[ds]\w*|return\w*|output\w*|say\w*|write|print|give|antwort\w*|ausgabe|gib|"
    r"schreib\w*|réponds?\w*|répondez|renvo\w*|écri\w+|dis|respond\w*|contest\w*|devuel\w*|escrib\w*|di\b|responda|"
    r"devolva|escreva|rispond\w*|restitui\w*|scriv\w*|geef|antwoord\w*|odpowie\w*|napisz|zwróć|отве\w+|svar\w*|"
    r"skriv\w*|odpov\w+|vastaa|yanıtla\w*|cevapla\w*|답하|출력|回答|回复|"
    r"返回|输出|答え|出力|返)"
)
ONLY: Final = (
    r"(?:only|exactly|just|simply|nothing else|nothing more|(?:a |the )?single (?:word|line|sentence|code)|nur|"
    r"genau|ausschließlich|lediglich|uniquement|seulement|"
    r"exactement|simplement|solo|sólo|solamente|únicamente|exactamente|apenas|só|somente|exatamente|soltanto|"
    r"solamente|esattamente|"
    r"unicamente|alleen|enkel|wyłącznie|tylko|только|endast|bara|enbart|kun|blot|yalnızca|sadece|pouze|jen|лише|"
    r"тільки|csak|vain|doar|"
    r"numai|hanya|cukup|chỉ|μόνο|فقط|केवल|सिर्फ|רק|만(?=\s)|只|仅|だけ|のみ)"
)
NO_REPLY: Final = worded("JSON HTML YAML NULL NEVER MUST ONLY MARKDOWN EVERY THEN WITH ANSWER NOT")
_TEXT_NOUN: Final = (
    r"(?:sentence|phrase|words|text|sign-off|satz|wortlaut|phrase|mots|texte|frase|texto|testo|zin|tekst|mening|zdanie|"
    r"(?:full|whole|entire|complete) (?:answer|reply|response)|volledige antwoord|luidt(?: altijd)?|lautet(?: immer)?|"
    r"brzmi(?: zawsze)?|lyder(?: alltid)?)"
)
# ``reply only with: Closed. Come back tomorrow.``: all of the line is one text.
LITERAL_LINE: Final = Lazy(
    rf"\b(?:{ONLY}(?:\s+[^\W\d_]+){{0,3}}|{REPLY}(?:\s+[^\W\d_]+){{0,2}}|{_TEXT_NOUN})(?:\s*[:：]|"
    rf"(?<=exactly)(?=\s*\n))[ \t]*\n?[ \t]*"
    r"(?P<line>(?![^\n]*,[^\n]*\b(?:or|oder|ou|of|lub|eller)\b)(?-i:[A-ZÀ-ÖØ-Þ])[^\n\"“„«「`:：{}|"
    r"]{2,200}?[.!?…])(?=[ \t]*(?:\n|$))",
    re.IGNORECASE,
)
