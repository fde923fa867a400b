"""Where the state of monitoring is: in the project's store, or in PostgreSQL under `monitor: {state: …}`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proctor.config import Config, expand
from proctor.core.errors import MalformedError, Problem
from proctor.store.alert_state import AlertState
from proctor.store.audit import AuditStore
from proctor.store.postgres import is_postgres, password_of
from proctor.text.known_secrets import add_secrets
from proctor.wiring.settings_section import placed_in

if TYPE_CHECKING:
    from proctor.store.event_database import EventDatabase

__all__ = ["open_alert_state", "open_audit_store", "open_event_database", "state_url"]

_PLACE = ("monitor", "state")
_HINT = "write `state: postgresql://USER:${PASSWORD}@HOST/DATABASE`, or leave it out"


def state_url(config: Config) -> str | None:
    """Return the PostgreSQL database that several servers share; ``None`` if the state is in the project's store.

    Raises:
        MalformedError: the setting is no such URL, or needs a variable that is not set. Its value is not shown.
    """
    written = config.settings.monitor.state
    if written is None:
        return None
    try:
        url = expand(written, config.environment, _PLACE)
    except MalformedError as error:
        raise placed_in(config.path, error.problems) from error
    if not isinstance(url, str) or not is_postgres(url):
        raise placed_in(config.path, [Problem(_PLACE, "is no URL of a PostgreSQL database", _HINT)])
    if password := password_of(url):
        add_secrets([password])
    return url


def open_event_database(config: Config, *, indexes: bool = True) -> EventDatabase | None:
    """Return the shared database of conversations and rollups; ``None`` if they are in the project's store.

    With ``indexes`` false this process never becomes the indexer of the shared database.

    Raises:
        ConfigError: asyncpg is not installed.
        StoreError: the database cannot be reached.
    """
    url = state_url(config)
    if url is None:
        return None
    from proctor.store.postgres_events import PostgresEventDatabase  # noqa: PLC0415 - only for several servers

    return PostgresEventDatabase(url, indexes=indexes)


def open_audit_store(config: Config) -> AuditStore:
    """Return the audit of a project.

    Raises:
        ConfigError: asyncpg is not installed.
        StoreError: the database cannot be opened.
    """
    url = state_url(config)
    if url is None:
        return AuditStore(config.store)
    from proctor.store.postgres_monitor import PostgresAuditStore  # noqa: PLC0415

    return PostgresAuditStore(url)


def open_alert_state(config: Config) -> AlertState:
    """Return the alerts of a project.

    Raises:
        ConfigError: asyncpg is not installed.
        StoreError: the database cannot be opened.
    """
    url = state_url(config)
    if url is None:
        return AlertState(config.store)
    from proctor.store.postgres_monitor import PostgresAlertState  # noqa: PLC0415

    return PostgresAlertState(url)
