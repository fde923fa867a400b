"""Frame a payload with sentences that make an agent take it for an order: texts by language in ``redteam/texts``."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import ClassVar

from proctor.core.attack import AttackDraft
from proctor.redteam.framing_texts import texts_of
from proctor.redteam.payload_site import MARK
from proctor.redteam.techniques.change_draft import with_payload
from proctor.redteam.toolbox import Family

__all__ = [
    "AuthorityClaim",
    "FakeSystemTurn",
    "Framing",
    "Override",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Framing:
    """Puts the payload into one of the sentences that its text file has for the language."""

    name: ClassVar[str]
    version: ClassVar[str] = "1"
    delivers: ClassVar[bool] = False
    family: ClassVar[Family] = "framing"

    def apply(self, draft: AttackDraft, random: Random) -> AttackDraft | None:
        """Choose a text of the draft's language."""
        text = random.choice(texts_of(self.name, draft.language))
        return with_payload(draft, self.name, text.replace(MARK, draft.payload)) if draft.payload.strip() else None


class Override(Framing):
    """Orders to drop all instructions so far."""

    name: ClassVar[str] = "override"


class FakeSystemTurn(Framing):
    """A forged turn of the system or the operator."""

    name: ClassVar[str] = "fake_system"


class AuthorityClaim(Framing):
    """The speaker claims to be entitled: staff, developer, auditor."""

    name: ClassVar[str] = "authority"
