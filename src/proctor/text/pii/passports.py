"""Find passport numbers by their label: many booking codes have the same shape."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from proctor.core.verdict import Finding
from proctor.text.pii.context import NamedValueFinder, made

__all__ = ["find_passports"]

_PASSPORT: Final = NamedValueFinder(
    r"\bpass?ports?(?:\s+(?:number|no\.?|#|id))?|パスポート(?:番号)?|旅券(?:番号)?|护照(?:号码?)?|여권(?:번호)?"
    r"|\breisepass(?:nummer)?"
    r"|\bpasaporte|\bpasseport|\bpassaporto|\bpaszport\w{0,2}|\bpaspoort(?:nummer)?",
    r"(?:[A-Z]{2}-){0,2}(?=[A-Z]{0,4}\d)[A-Z]{0,4}\d{5,10}[A-Z]{0,3}",
    least=5,
)


def find_passports(text: str) -> Iterator[Finding]:
    """Find numbers labelled as a passport."""
    for place in _PASSPORT.spans(text):
        yield made("passport", text, place, 0.9)
