"""What a page is made of: its place, its routes, what a request asks, and what comes back."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol
from urllib.parse import urlencode

from proctor.core.errors import InputError
from proctor.core.person import Person, Role

if TYPE_CHECKING:
    from proctor.server.pages.page_stores import PageStores
    from proctor.server.pages.table import Table

__all__ = [
    "Chart",
    "Download",
    "Handler",
    "Missing",
    "Page",
    "PageChart",
    "PageMissing",
    "PageRequest",
    "PageRoute",
    "PageView",
    "Redirect",
    "Reply",
    "Route",
    "View",
    "later",
]

_MAX_TEXT: Final = 2000
_FAR: Final = 60_000_000_000.0  # seconds: until the year 3871


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """What a browser asks. Texts are cut at 2,000 characters; the form of a long text is read with ``form``."""

    at: str  # the path, without parameters
    path: Mapping[str, str] = field(default_factory=dict)  # parts of the path
    query: Mapping[str, Sequence[str]] = field(default_factory=dict)
    form: Mapping[str, Sequence[str]] = field(default_factory=dict)
    visitor: Person
    now: float

    def text(self, name: str, default: str = "") -> str:
        """Return a parameter of the query or of the form, without surrounding space."""
        given = self.form.get(name) or self.query.get(name)
        return given[0].strip()[:_MAX_TEXT] if given else default

    def texts(self, name: str) -> list[str]:
        """Return every value of a parameter."""
        return [each.strip()[:_MAX_TEXT] for each in (self.form.get(name) or self.query.get(name) or ())]

    def choice(self, name: str, allowed: Sequence[str], default: str = "") -> str:
        """Return a parameter that must be one of some words.

        Raises:
            InputError: it is another word.
        """
        given = self.text(name, default)
        if given and given not in allowed:
            raise InputError(f"there is no {name} {given[:40]!r}", field=name, hint=f"use {', '.join(allowed)}")
        return given

    def number(self, name: str, default: float, *, low: float, high: float) -> float:
        """Return a number between two bounds.

        Raises:
            InputError: it is no number, or outside the bounds.
        """
        given = self.text(name)
        if not given:
            return default
        try:
            number = float(given)
        except ValueError:
            number = float("nan")
        if not low <= number <= high:
            raise InputError(f"{name} must be a number from {low:g} to {high:g}", field=name)
        return number

    @property
    def page(self) -> int:
        """The page of a long table, from 1."""
        return int(self.number("page", 1, low=1, high=1_000_000))

    def time(self, name: str) -> float | None:
        """Return a time in seconds since 1970; dates without a zone are UTC.

        Raises:
            InputError: it is no time.
        """
        given = self.text(name)
        if not given:
            return None
        try:
            found = float(given)
        except ValueError:
            try:
                made = datetime.fromisoformat(given)
                found = (made if made.tzinfo else made.replace(tzinfo=UTC)).timestamp()
            except (ValueError, OverflowError):
                found = math.nan
        if not abs(found) <= _FAR:
            raise InputError(f"{name} is no time", field=name, hint="write 2026-11-17 or 2026-11-17T15:00Z")
        return found

    def link(self, **changes: object) -> str:
        """Return this address with some parameters changed; ``None`` removes one."""
        query = {name: list(values) for name, values in self.query.items() if name not in ("csv", "svg")}
        for name, value in changes.items():
            query.pop(name, None)
            if value is not None:
                query[name] = [str(value)]
        asked = urlencode([(name, each) for name, values in query.items() for each in values])
        return f"{self.at}?{asked}" if asked else self.at


class PageChart(Protocol):
    """A drawing. ``svg`` is a whole picture that stands alone; ``data`` is for the script, if it is a time series."""

    @property
    def title(self) -> str:
        """What the drawing shows."""

    def svg(self, *, inline: bool = True) -> str:
        """Return the drawing; every text in it is escaped. ``inline``: for a page that has the theme's styles."""

    def data(self) -> Mapping[str, Any] | None:
        """Return the series for the script, or nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageView:
    """A page to show: its template, what the template is given, its tables (also as CSV) and charts (also as SVG).

    In the template they are ``tables.NAME`` and ``charts.NAME``. ``live`` names the topics that reload the parts of
    the page marked ``data-live`` when something changes.
    """

    template: str
    title: str
    data: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    charts: Mapping[str, PageChart] = field(default_factory=dict)
    live: Sequence[str] = ()
    status: int = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirect:
    """Go to another page of the dashboard; ``said`` is shown there once."""

    to: str
    said: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """A file to save."""

    name: str
    media: str
    body: bytes | Iterable[bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMissing:
    """There is no such thing."""

    what: str
    hint: str = ""


# Short names for the pages; the classes have names that exist once in the package.
Chart = PageChart
Missing = PageMissing
View = PageView
Reply = View | Redirect | Download | Missing
Handler = Callable[["PageStores", PageRequest], Reply]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRoute:
    """An address below /ui and the function that answers; ``role`` is the least that may ask."""

    path: str
    answer: Handler
    method: Literal["GET", "POST"] = "GET"
    role: Role = "viewer"


Route = PageRoute


def later(module: str, name: str) -> Handler:
    """Return a handler of another module of the views, which is loaded when somebody asks: most pages are not seen."""

    def answer(stores: PageStores, request: PageRequest) -> Reply:
        made: Reply = getattr(import_module(f"proctor.server.pages.views.{module}"), name)(stores, request)
        return made

    answer.__qualname__ = f"{module}.{name}"
    return answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page in the navigation; ``order`` is its place there, ``path`` where the link leads."""

    title: str
    path: str
    order: int
    routes: Sequence[Route]
