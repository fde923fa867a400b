"""The living sessions of a guard: as many as there is room for, each as long as it is used."""

from __future__ import annotations

import threading
from collections import OrderedDict
from time import monotonic

from proctor.core.errors import InputError
from proctor.guard.session import Session
from proctor.guard.vault import Vault
from proctor.guard.watch import Watch

__all__ = ["Sessions"]


class Sessions:
    """Sessions by their names. The one that was not used for longest goes first, and any that is idle for too long.

    A session that went can still be used by whoever holds it; under its name a new one begins.
    """

    def __init__(self, watch: Watch, *, most: int = 10_000, idle: float = 3600.0) -> None:
        self._watch, self.most, self.idle = watch, most, idle
        self._lock = threading.Lock()
        self._living: OrderedDict[str, tuple[float, Session]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._living)

    def open(self, id: str | None = None, *, customer: str | None = None, vault: Vault | None = None) -> Session:
        """The living session of this name, or a new one.

        Raises:
            InputError: the session belongs to another customer.
        """
        with self._lock:
            self._let_go(monotonic())
            held = self._living.get(id) if id is not None else None
            if held is None:
                session = Session(self._watch, id=id, customer=customer, vault=vault)
            else:
                session = held[1]
                if customer is not None and session.customer is not None and customer != session.customer:
                    mend = "give each conversation a name of its own"
                    raise InputError("the session belongs to another customer", field="session", mend=mend)
                if session.customer is None:
                    session.memory.customer = customer
            self._living[session.id] = (monotonic(), session)
            self._living.move_to_end(session.id)
            while len(self._living) > self.most:
                self._living.popitem(last=False)
            return session

    def close(self, id: str) -> None:
        """Forget a session; unknown names are no mistake."""
        with self._lock:
            self._living.pop(id, None)

    def _let_go(self, now: float) -> None:
        while self._living:
            used, _ = next(iter(self._living.values()))
            if now - used < self.idle:
                return
            self._living.popitem(last=False)
