"""Third-party gates for the tests of isolation: one that holds the interpreter in C code, one that ends its process."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import ClassVar

from proctor.core.step import Point
from proctor.core.verdict import Edit, Finding, Verdict
from proctor.guard.step import Step

__all__ = ["Pathological", "Unsendable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pathological:
    """Matches a pattern with catastrophic backtracking; may also crash, raise, print or redact, as the text says."""

    name: ClassVar[str] = "pathological"
    version: ClassVar[str] = "3"
    points: ClassVar[tuple[Point, ...]] = ("input",)
    primary: ClassVar[str | None] = "pattern"

    pattern: str = r"(?:a+)+$"

    async def check(self, step: Step) -> Verdict:
        print("the gate prints")
        if "crash" in step.text:
            os._exit(7)
        if "raise" in step.text:
            raise KeyError("nothing here")
        if "nonsense" in step.text:
            return "fine"  # type: ignore[return-value]
        if "odd" in step.text:
            return Verdict(action="allow", extra={"pattern": re.compile("a")})
        if "secret" in step.text:
            at = step.text.index("secret")
            edit = Edit(start=at, end=at + 6, text="[x]")
            found = Finding(kind="secret", text="secret", start=at, end=at + 6)
            text = step.text.replace("secret", "[x]")
            return Verdict(action="redact", findings=(found,), text=text, edits=(edit,))
        matched = re.match(self.pattern, step.text)
        seen = f"{os.getpid()} {step.memory.session} {len(step.memory.asked)}"
        return Verdict(action="block" if matched else "allow", reason=seen)


class Unsendable(Pathological):
    """Cannot be pickled."""

    def __reduce__(self) -> str:
        raise TypeError("it holds a connection")
