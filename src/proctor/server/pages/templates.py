"""The templates of the pages. Every value is escaped: text of customers, agents and attackers is never markup."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any, Final

import jinja2
from markupsafe import Markup, escape

from proctor.monitor.detectors.rule_reading import shown_span
from proctor.server.pages.table import Chip, Link, Moment, Share

__all__ = ["TEMPLATES", "static_files"]

_MEDIA: Final = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_LONG_WORD: Final = 32  # characters


@cache
def static_files() -> dict[str, tuple[str, bytes, str]]:
    """Return name, media type, content and a short hash of every file that pages load."""
    found: dict[str, tuple[str, bytes]] = {}
    own = [each for each in files("proctor.server.pages").joinpath("static").iterdir() if each.is_file()]
    theme = files("proctor.report").joinpath("static", "theme.css")  # pages look as the reports do
    for each in [*own, theme]:
        kind = each.name.rpartition(".")[2]
        if kind in _MEDIA:
            found[each.name] = (_MEDIA[kind], each.read_bytes())
    # Scripts load each other: one tag for all, so that a browser never mixes old and new ones.
    tag = hashlib.sha256(b"".join(found[name][1] for name in sorted(found))).hexdigest()[:12]
    return {name: (media, body, tag) for name, (media, body) in found.items()}


def _static(name: str) -> str:
    return f"/ui/static/{name}?v={static_files()[name][2]}"


def _kind(cell: object) -> str:
    """Return how a cell is drawn."""
    match cell:
        case Link():
            return "link"
        case Moment():
            return "moment" if cell.is_known else "none"
        case Chip():
            return "chip"
        case Share():
            return "share"
        case None:
            return "none"
        case bool():
            return "text"
        case int() | float():
            return "number"
        case _:
            return "text"


def _number(value: float | int | None, digits: int = 3) -> str:
    """Return a number for reading: thousands apart, no more digits than needed."""
    if value is None or not math.isfinite(value):
        return "–"
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.{digits}f}".rstrip("0").rstrip(".")


def _percent(value: float | None, digits: int = 1) -> str:
    """Return a share in percent; a dash if it is not known."""
    return "–" if value is None or not math.isfinite(value) else f"{100 * value:.{digits}f} %"


def _bare_percent(value: float | None) -> str:
    """Return a share in percent without its sign, for the lower end of an interval."""
    return _percent(value).removesuffix(" %")


def _cell_class(cell: object) -> str:
    """Return how a text may be broken in a table: a word stays whole, unless it is too long for a column."""
    text = cell.text if isinstance(cell, Link) else cell
    if not isinstance(text, str) or not text:
        return ""
    if max(map(len, text.split()), default=0) > _LONG_WORD:
        return " unbroken"
    return "" if any(each.isspace() or not each.isascii() for each in text) else " one-word"


def _moment(time: float | datetime | None) -> Markup:
    """Return a time that the script shows in the reader's zone."""
    if time is None:
        return Markup("–")
    made = Moment(time.timestamp() if isinstance(time, datetime) else float(time))
    if not made.is_known:
        return Markup("–")
    return Markup('<time datetime="{}">{}</time>').format(made.iso, made.utc)


def _own(address: str) -> str:
    """Return an address of the dashboard; one that leads elsewhere leads nowhere."""
    return address if address.startswith(("/ui/", "?", "#")) else "#"


def _code(text: str) -> Markup:
    """Return our own words with `commands` as code; everything in them is escaped."""
    parts = str(text).split("`")
    if len(parts) % 2 == 0:  # a single backtick is a backtick
        return Markup(escape(text))  # noqa: S704 - escaped
    made = [Markup("<code>{}</code>").format(each) if n % 2 else escape(each) for n, each in enumerate(parts)]
    return Markup("").join(made)


def _data(value: Any) -> Markup:
    """Return data for the script inside a ``script`` element; it cannot end the element."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace("&", "\\u0026").replace("\u2028", "\\u2028"))  # noqa: S704


def _environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("proctor.server.pages", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    filters: dict[str, Callable[..., Any]] = {
        "moment": _moment, "number": _number, "percent": _percent, "data": _data, "cell_kind": _kind, "code": _code,
        "own": _own, "bare_percent": _bare_percent, "cell_class": _cell_class,
        "span": shown_span,
        "utc": lambda time: datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M"),
    }  # fmt: skip
    made.filters.update(filters)
    made.globals["static"] = _static
    return made


class _Templates:
    """The templates; compiled when the first page is shown."""

    def __init__(self) -> None:
        self._made: jinja2.Environment | None = None

    def render(self, name: str, **given: Any) -> str:
        """Return a page."""
        if self._made is None:
            self._made = _environment()
        return self._made.get_template(name).render(**given)


TEMPLATES: Final = _Templates()
