"""The open sessions of a guard, limited in number and idle time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from time import monotonic

from proctor.guard.engine import Watch
from proctor.guard.session import Session
from proctor.guard.vault import Vault

__all__ = ["Sessions"]


Key = tuple[str | None, str]


class Sessions:
    """Sessions by customer and id. The least recently used is dropped first, and any that is idle too long.

    The customer is part of the key: two customers with the same id have two sessions, and a caller without a customer
    gets none of a customer's. Only an id generated here, which cannot be guessed, is sufficient by itself. A dropped
    session still works for its holder; its id then opens a new one.
    """

    def __init__(self, watch: Watch, *, most: int = 10_000, idle: float = 3600.0) -> None:
        self._watch, self.most, self.idle = watch, most, idle
        self._lock = threading.Lock()
        self._living: OrderedDict[Key, tuple[float, Session]] = OrderedDict()
        self._made_here: dict[str, Key] = {}

    def __len__(self) -> int:
        return len(self._living)

    def open(self, id: str | None = None, *, customer: str | None = None, vault: Vault | None = None) -> Session:
        """Return the open session of this customer and id, or a new one."""
        with self._lock:
            self._let_go(monotonic())
            key = self._key(id, customer)
            held = self._living.get(key) if key is not None else None
            session = held[1] if held else Session(self._watch, id=id, customer=customer, vault=vault)
            key = key or (customer, session.id)
            if id is None:
                self._made_here[session.id] = key
            self._living[key] = (monotonic(), session)
            self._living.move_to_end(key)
            while len(self._living) > self.most:
                self._drop(next(iter(self._living)))
            return session

    def _key(self, id: str | None, customer: str | None) -> Key | None:
        if id is None:
            return None
        return self._made_here.get(id, (None, id)) if customer is None else (customer, id)

    def _drop(self, key: Key) -> None:
        del self._living[key]
        if self._made_here.get(key[1]) == key:
            del self._made_here[key[1]]

    def close(self, session: Session) -> None:
        """Drop a session; an unknown one is ignored."""
        with self._lock:
            for key in ((session.customer, session.id), (None, session.id)):  # its customer may have been set later
                held = self._living.get(key)
                if held is not None and held[1] is session:
                    self._drop(key)

    def forget(self, id: str, *, customer: str | None = None) -> None:
        """Drop the session of this id and customer; without a customer, every session of this id."""
        with self._lock:
            for key in [key for key in self._living if key[1] == id and customer in (None, key[0])]:
                self._drop(key)

    def _let_go(self, now: float) -> None:
        while self._living:
            key, (used, _) = next(iter(self._living.items()))
            if now - used < self.idle:
                return
            self._drop(key)
