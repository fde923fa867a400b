"""Open the intake of a project: its store, its masking and its alert rules."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from proctor.config import Config
from proctor.store.private_files import private_folder
from proctor.wiring.history_settings import event_masker, open_history
from proctor.wiring.ingest_settings import IngestSettings, read_ingest
from proctor.workflows.monitor.intake import Intake

__all__ = ["open_intake"]


@contextmanager
def open_intake(config: Config, settings: IngestSettings | None = None) -> Iterator[Intake]:
    """Open the intake of a project; close it at the end.

    Raises:
        MalformedError: a setting is wrong.
        StoreError: the store cannot be opened.
    """
    chosen = settings or read_ingest(config)
    private_folder(config.store)
    intake = Intake(
        config.store,
        masker=event_masker(config),
        history=open_history(config),
        settle=chosen.settle,
        patience=chosen.patience,
        late=chosen.late,
    )
    try:
        yield intake
    finally:
        intake.close()
