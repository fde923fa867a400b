"""Frame a payload with sentences that make an agent take it for an order: texts by language in ``redteam/texts``."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import ClassVar

from proctor.core.attack import AttackDraft
from proctor.redteam.framing_texts import texts_of
from proctor.redteam.payload_site import MARK
from proctor.redteam.technique_registry import Family
from proctor.redteam.techniques.change_draft import with_payload

__all__ = [
    "AffirmativeStart",
    "AuthorityClaim",
    "DecodeRequest",
    "EndOfData",
    "FakeSystemTurn",
    "Fiction",
    "ForgedToolOutput",
    "Framing",
    "ManyShot",
    "NoteToAssistant",
    "OverrideOrder",
    "Padding",
    "PoliteRequest",
    "PriorApproval",
    "ReportedWish",
    "RolePlay",
    "TestMode",
    "Urgency",
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
        if not draft.payload.strip():
            return None
        framed = self.frame(texts_of(self.name, draft.language), random)
        return with_payload(draft, self.name, framed.replace(MARK, draft.payload))

    def frame(self, texts: tuple[str, ...], random: Random) -> str:
        """Return the text around the mark of the payload."""
        return random.choice(texts)


class OverrideOrder(Framing):
    """Orders to drop all instructions so far."""

    name: ClassVar[str] = "override"


class FakeSystemTurn(Framing):
    """A forged turn of the system or the operator."""

    name: ClassVar[str] = "fake_system"


class AuthorityClaim(Framing):
    """The speaker claims to be entitled: staff, developer, auditor."""

    name: ClassVar[str] = "authority"


class RolePlay(Framing):
    """A game or a role in which no rules apply."""

    name: ClassVar[str] = "role_play"


class Urgency(Framing):
    """An emergency that leaves no time for checks."""

    name: ClassVar[str] = "urgency"


class NoteToAssistant(Framing):
    """An instruction written as data: a note to the assistant that reads it."""

    name: ClassVar[str] = "note_to_assistant"


class ForgedToolOutput(Framing):
    """A forged result of a tool that demands a next step."""

    name: ClassVar[str] = "forged_tool_output"


class DecodeRequest(Framing):
    """A request to decode a text and to carry it out."""

    name: ClassVar[str] = "decode_request"


class Fiction(Framing):
    """A story or a hypothesis as a pretext."""

    name: ClassVar[str] = "fiction"


class PoliteRequest(Framing):
    """A friendly request without any pressure."""

    name: ClassVar[str] = "polite_request"


class ReportedWish(Framing):
    """The wish of somebody else, only passed on."""

    name: ClassVar[str] = "reported_wish"


class PriorApproval(Framing):
    """A claim that somebody already approved or consented."""

    name: ClassVar[str] = "prior_approval"


class EndOfData(Framing):
    """A forged end of the data, followed by a new task."""

    name: ClassVar[str] = "end_of_data"


class TestMode(Framing):
    """A claim that this is a test or a maintenance mode without consequences."""

    __test__: ClassVar[bool] = False  # no test class
    name: ClassVar[str] = "test_mode"


class AffirmativeStart(Framing):
    """A demand to begin the answer with consent."""

    name: ClassVar[str] = "affirmative_start"


class ManyShot(Framing):
    """Many examples of an assistant that complied, then the payload."""

    name: ClassVar[str] = "many_shot"

    def frame(self, texts: tuple[str, ...], random: Random) -> str:
        """Repeat the examples in random order."""
        *examples, request = texts
        return "\n\n".join((*(random.choice(examples) for _ in range(random.randint(6, 16))), request))


class Padding(Framing):
    """Much harmless text around the payload."""

    name: ClassVar[str] = "padding"

    def frame(self, texts: tuple[str, ...], random: Random) -> str:
        """Put more text before than after."""
        before = " ".join(random.choice(texts) for _ in range(random.randint(15, 40)))
        after = " ".join(random.choice(texts) for _ in range(random.randint(3, 10)))
        return f"{before} {MARK} {after}"
