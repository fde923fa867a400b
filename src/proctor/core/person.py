"""A person who uses the dashboard, and what each role may do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["ROLES", "Person", "Role"]

Role = Literal["viewer", "auditor", "admin"]
ROLES: Final[tuple[Role, ...]] = ("viewer", "auditor", "admin")  # each may do what the ones before it may


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who is signed in. A viewer looks, an auditor rates and reviews, an admin decides."""

    name: str
    role: Role

    def may(self, role: Role) -> bool:
        """Return whether this person may do what the role may."""
        return ROLES.index(self.role) >= ROLES.index(role)
