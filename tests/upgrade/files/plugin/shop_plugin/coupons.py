"""Gates with names and keys of the version before: `extra` for what is now a field, modules by their old names."""

import re
from dataclasses import dataclass
from typing import ClassVar

from proctor.core.decoding import decode
from proctor.core.errors import ConfigError
from proctor.core.verdict import Finding, Verdict
from proctor.guard.chain import Chain, Post
from proctor.guard.current import current, guarded_tool
from proctor.guard.edits import Edit
from proctor.guard.step import Step
from proctor.guard.vault import Vault
from proctor.guard.watch import Plan
from proctor.guard.wrap import GuardedConversation, Opens
from proctor.text.pace import breathe
from proctor.text.user_patterns import user_pattern

__all__ = ["Chain", "GuardedConversation", "Opens", "Plan", "Post", "Vault", "current", "decode", "guarded_tool"]

_COUPON = user_pattern(r"SAVE\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Coupons:
    """Masks the codes of coupons, and asks a person about several."""

    name: ClassVar[str] = "coupons"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[str, ...]] = ("input", "output")
    primary: ClassVar[str | None] = "mask"
    mask: str = "[COUPON]"

    def __post_init__(self) -> None:
        if not self.mask:
            raise ConfigError("the mask is empty", field="mask", mend="write some text")

    async def check(self, step: Step) -> Verdict:
        breathe()
        found = list(re.finditer(r"SAVE\d+", step.text))
        if not found or _COUPON.search(step.text) is None:
            return Verdict(action="allow")
        edits = tuple(Edit(start=each.start(), end=each.end(), text=self.mask) for each in found)
        return Verdict(
            action="redact",
            text=re.sub(r"SAVE\d+", self.mask, step.text),
            reason="a coupon",
            findings=tuple(Finding(kind="coupon", start=each.start(), end=each.end()) for each in found),
            extra={"edits": edits, "borderline": len(found) > 1, "by": "coupons", "count": len(found)},
        )
