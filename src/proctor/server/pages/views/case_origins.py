"""Where a case came from: an attack, a decision of the guard, an alert or a conversation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from proctor.core.attack import ATTACK
from proctor.core.case import Case

__all__ = ["case_origins"]


def case_origins(case: Case) -> list[tuple[str, str]]:
    """Return words and address of each page that a case leads back to; a held-out attack leads nowhere."""
    attack = case.metadata.get(ATTACK)
    if isinstance(attack, Mapping) and attack.get("held_out"):
        return []
    return list(_origins(case, attack if isinstance(attack, Mapping) else {}))


def _origins(case: Case, attack: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    told = case.metadata.get("promoted")
    told = told if isinstance(told, Mapping) else {}
    if campaign := str(attack.get("campaign") or told.get("campaign") or ""):
        yield "the attack, before and after", f"/ui/redteam/{_part(campaign)}/attempts/{_part(case.id)}"
    if decision := told.get("decision"):
        yield "the decision of the guard", f"/ui/guard?event={_part(decision)}"
    if alert := told.get("alert"):
        yield f"alert {alert}", f"/ui/alerts/{_part(alert)}"
    if run := told.get("run"):
        yield f"run {run}", f"/ui/runs/{_part(run)}"
    elif session := told.get("session"):
        yield "the conversation", f"/ui/conversations/{_part(session)}"


def _part(value: object) -> str:
    return quote(str(value), safe="")
