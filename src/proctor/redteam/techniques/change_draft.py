"""Return a draft with a changed payload or conversation, and the technique added to its list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from proctor.core.attack import AttackDraft

__all__ = ["with_payload", "with_turns"]


def with_payload(draft: AttackDraft, technique: str, payload: str) -> AttackDraft | None:
    """Return the draft with this payload; ``None`` if it is empty or unchanged."""
    if not payload.strip() or payload == draft.payload:
        return None
    return replace(draft, payload=payload, techniques=(*draft.techniques, technique))


def with_turns(
    draft: AttackDraft,
    technique: str,
    turns: Sequence[str],
    *,
    payload: str | None = None,
    new_session: tuple[int, ...] = (),
) -> AttackDraft | None:
    """Return the draft said over these turns; ``payload`` is the part of it to look for, if it changed."""
    said = draft.payload if payload is None else payload
    if not said.strip():
        return None
    return replace(
        draft,
        payload=said,
        turns=tuple(turns),
        place=None,
        new_session=new_session,
        techniques=(*draft.techniques, technique),
    )
