"""Build the catalogue of a project from a file, a database or a service, as set in proctor.yaml."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from proctor import registry
from proctor.config import Config, cache_folder, expand
from proctor.core.errors import ConfigError, MalformedError
from proctor.core.sockets import Catalogue, Http, Kit, Model

__all__ = ["make_catalogue"]

_DATABASES = (".db", ".sqlite", ".sqlite3")


def make_catalogue(named: Any, *, config: Config, http: Http, model: Callable[[str | None], Model]) -> Catalogue | None:
    """Return the catalogue named by a check, or the project's; ``None`` if there is none.

    Raises:
        ConfigError: its kind is unknown, or its settings are wrong.
    """
    written = named if named is not None else config.settings.catalogue
    if written is None:
        return None
    file = str(config.path) if config.path else None
    try:
        entry = _entry(expand(written, config.environment, ("catalogue",)))
        kinds = [kind for kind in registry.names("catalogues") if kind in entry]
        if len(kinds) != 1:
            known = ", ".join(registry.names("catalogues"))
            raise ConfigError(
                f"names no kind of catalogue (one of: {known})" if not kinds else f"is of {len(kinds)} kinds",
                file=file,
                field="catalogue",
                hint="write e.g. `catalogue: {file: products.csv}`",
            )
        kit = Kit(
            name="catalogue",
            settings=entry,
            folder=str(config.folder),
            env=config.environment.get,
            http=http,
            model=model,
            cache=str(cache_folder(config.environment)),
        )
        made: Catalogue = registry.connect("catalogues", kinds[0], kit)
    except MalformedError as error:
        problems = [
            each if each.path[:1] == ("catalogue",) else replace(each, path=("catalogue", *each.path))
            for each in error.problems
        ]
        raise MalformedError(problems, file=error.file or file) from error
    return made


def _entry(written: Any) -> dict[str, Any]:
    """Return the settings as a mapping; the kind of a bare URL or path is inferred."""
    if isinstance(written, Mapping):
        return dict(written)
    text = str(written)
    if text.startswith(("http://", "https://")):
        return {"http": text}
    if text.startswith("sqlite://") or Path(text).suffix.lower() in _DATABASES:
        return {"sql": text, "table": "products"}
    return {"file": text}
