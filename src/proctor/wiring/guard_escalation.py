"""Create the escalation hook of a guard from its settings."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Protocol

from proctor.config import Config
from proctor.guard.escalation import EscalationHook
from proctor.wiring.escalation_settings import EscalateSettings
from proctor.wiring.guard_settings import escalation_function

__all__ = ["ClosableHook", "escalation_hook"]


class ClosableHook(EscalationHook, Protocol):
    """A hook that can be closed."""

    def close(self) -> None:
        """Deliver queued escalations, for some seconds at most."""
        ...


def escalation_hook(
    config: Config, settings: EscalateSettings, *, note: Callable[..., None], on_record: bool
) -> ClosableHook | None:
    """Return the hook for the settings; none if the review queue is the only receiver.

    ``on_record`` means that there is a log, whose customer pseudonyms are used.

    Raises:
        InputError: the function cannot be imported.
    """
    if not settings.has_receiver:
        return None
    from proctor.wiring.escalation_delivery import EscalationDelivery  # noqa: PLC0415 - most guards have no hook
    from proctor.wiring.guard_names import LogTagger  # noqa: PLC0415

    return EscalationDelivery(
        settings,
        proxy_for=config.environment.proxy_for,
        name=_pseudonyms(config.store if on_record else None),
        function=escalation_function(config, settings),
        tagger=None if settings.content == "full" else LogTagger(),
        note=note,
    )


def _pseudonyms(store: Path | None) -> Callable[[str], str]:
    """Return the function for customer pseudonyms: those of the store's log, or else of this process alone."""

    @cache
    def made() -> Callable[[str], str]:
        from proctor.store.guard_log import FOLDER  # noqa: PLC0415 - the key is made when it is first needed
        from proctor.store.mask_decisions import customer_key, naming  # noqa: PLC0415

        return naming(secrets.token_bytes(32) if store is None else customer_key(store / FOLDER))

    def pseudonym(who: str) -> str:
        return made()(who)

    return pseudonym
