"""The ten tools of the desk: each really reads or writes the office's database."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cache
from inspect import Signature, signature
from typing import Any, Literal

from proctor.core.chat import Tool
from proctor.core.errors import ToolRefused
from proctor.guard.current_session import current, guarded_tool

from .knowledge import Found, find, in_force, passage
from .office import Office, Row

__all__ = ["MANAGE", "TOOLS", "Toolbox"]

MANAGE = "https://lantern.example/manage/{booking}"
FREE_HOURS = {"cancel": 48, "change_date": 24, "change_travellers": 24}
FULL_DAYS, HALF_DAYS = 14, 7  # for tours of several days
DAYS = {"complaint": 3, "post_trip_issue": 3, "refund_request": 5}  # within which a person answers a case
CATEGORIES = ("knowledge_gap", "confidence_failure", "policy_complexity", "sentiment_trigger", "explicit_request")


def _tool(name: str, description: str, need: tuple[str, ...], **properties: Mapping[str, Any]) -> Tool:
    schema = {"type": "object", "properties": properties, "required": list(need), "additionalProperties": False}
    return Tool(name=name, description=description, parameters=schema)


_TEXT = {"type": "string"}
_BOOKING = {"type": "string", "description": "The booking's number, e.g. LT-1001."}
TOOLS: tuple[Tool, ...] = (
    _tool("get_policy", "Find the policies that answer a question.", ("question",), question=_TEXT),
    _tool("get_faq", "Find frequently asked questions with their answers.", ("question",), question=_TEXT),
    _tool("get_product_info", "Everything about one tour, by id or title.", ("product",), product=_TEXT),
    _tool("get_booking", "One booking with its tour and its customer.", ("booking_id",), booking_id=_BOOKING),
    _tool(
        "modify_booking",
        "Look whether a booking can be changed or cancelled (check_only), or do it.",
        ("booking_id", "action"),
        booking_id=_BOOKING,
        action={"type": "string", "enum": list(FREE_HOURS)},
        date={"type": "string", "description": "The new day, YYYY-MM-DD."},
        travellers={"type": "integer", "minimum": 1},
        check_only={"type": "boolean", "default": True, "description": "true: look, change nothing."},
    ),
    _tool("get_booking_history", "What happened to a booking so far.", ("booking_id",), booking_id=_BOOKING),
    _tool(
        "create_case",
        "Open a case that a person will answer within a few working days.",
        ("kind", "summary"),
        kind={"type": "string", "enum": ["complaint", "refund_request", "post_trip_issue"]},
        summary=_TEXT,
        booking_id=_BOOKING,
    ),
    _tool(
        "escalate",
        "Hand the conversation over to a person.",
        ("category", "reason"),
        category={"type": "string", "enum": list(CATEGORIES)},
        reason=_TEXT,
    ),
    _tool("get_tips", "Tips for a city.", ("city",), city=_TEXT),
    _tool(
        "search_products",
        "Find tours by words, city or price.",
        (),
        query=_TEXT,
        city=_TEXT,
        max_price={"type": "number"},
    ),
)


class ToolFailure(Exception):
    """A tool could not do what was asked of it."""


@dataclass(slots=True)
class Toolbox:
    """The tools over one office. ``versions`` says which policies are found: those in force, or old ones too.

    ``intents`` are what the customer is taken to want. Where the desk runs behind a guard, every call is put before it
    first, under these intents.
    """

    office: Office
    versions: Literal["in_force", "all"] = "in_force"
    intents: tuple[str, ...] = ()
    sources: list[dict[str, Any]] = field(default_factory=list)

    def call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Use a tool; what it found or did, or why not, is in the call that comes back."""
        made: dict[str, Any] = {"name": name, "arguments": dict(arguments)}
        function: Callable[..., Any] | None = getattr(self, f"_{name}", None)
        if function is None or all(tool.name != name for tool in TOOLS):
            return {**made, "error": f"there is no tool {name!r}"}
        try:
            _signature(name).bind(self, **arguments)
        except TypeError as error:  # a model may write any arguments
            return {**made, "error": f"{name}: {error}"}
        if (session := current()) is not None:
            session.intents = self.intents
        kept = len(self.sources)
        try:
            return {**made, "result": guarded_tool(name=name, outside="allow")(function)(**arguments)}
        except ToolFailure as failure:
            return {**made, "error": str(failure)}
        except ToolRefused as refused:
            del self.sources[kept:]  # what was held back must not be answered from
            return {**made, "error": refused.message}

    def _get_policy(self, question: str) -> list[dict[str, Any]]:
        rows = self.office.policies()
        held = rows if self.versions == "all" else in_force(rows, self.office.now.date())
        return self._passages(find(question, held, ("title", "text", "topic")))

    def _get_faq(self, question: str) -> list[dict[str, Any]]:
        return self._passages(find(question, self.office.faqs(), ("question", "text"), most=1))

    def _passages(self, found: list[Found]) -> list[dict[str, Any]]:
        passages = [passage(each.row, each.score) for each in found]
        self.sources += passages
        return passages

    def _get_product_info(self, product: str) -> dict[str, Any]:
        row = self.office.product(product)
        if row is None:
            raise ToolFailure(f"there is no tour {product!r}")
        self._rest_on_tour(row)
        entries = self.office.calendar(row["id"])
        return {**row, "calendar": entries} if entries else dict(row)

    def _rest_on_tour(self, row: Row) -> None:
        text = (
            f"{row['title']} in {row['city']}: {row['description']} It takes {row['duration_hours']} hours and costs "
            f"{row['price_eur']:.2f} EUR for each traveller. The lowest age is {row['min_age']} years."
        )
        self.sources.append(
            {"id": row["id"], "text": text, "title": row["title"], "date": self.office.now.date().isoformat()}
        )

    def _booked(self, booking_id: str) -> Row:
        row = self.office.booking(booking_id)
        if row is None:
            raise ToolFailure(f"there is no booking {booking_id}")
        return row

    def _get_booking(self, booking_id: str) -> dict[str, Any]:
        row = self._booked(booking_id)
        told = {key: value for key, value in row.items() if value is not None and key != "places"}
        cases = self.office.waiting_cases(row["id"])
        return {**told, "cases": cases} if cases else told

    def _modify_booking(
        self,
        booking_id: str,
        action: str,
        date: str | None = None,
        travellers: int | None = None,
        check_only: bool = True,
    ) -> dict[str, Any]:
        row = self._booked(booking_id)
        if action not in FREE_HOURS:
            raise ToolFailure(f"there is no action {action!r}; known: {', '.join(FREE_HOURS)}")
        told = {"booking": row["id"], "action": action, **_terms(row, action, self.office.now)}
        self._check_wish(row, action, date, travellers)
        if check_only:
            return {**told, "done": False, "confirm_at": MANAGE.format(booking=row["id"])}
        if not told["allowed"]:
            raise ToolFailure(str(told["why"]))
        self.apply(row["id"], action, date, travellers)
        return {**told, "done": True}

    def _check_wish(self, row: Row, action: str, day: str | None, travellers: int | None) -> None:
        if action == "change_date":
            try:
                wanted = date.fromisoformat(day or "")
            except ValueError:
                raise ToolFailure("a new date is needed, as YYYY-MM-DD") from None
            if wanted <= self.office.now.date():
                raise ToolFailure(f"{day} is not in the future")
        if action == "change_travellers":
            if not travellers or travellers < 1:
                raise ToolFailure("the new number of travellers is needed")
            if travellers - row["travellers"] > row["places"]:
                raise ToolFailure(f"only {row['places']} more places are left")

    def apply(self, booking: str, action: str, day: str | None = None, travellers: int | None = None) -> None:
        """Write a change into the booking: by the tool, or by the customer on the manage page."""
        row = self._booked(booking)
        if action == "cancel":
            self.office.change(row["id"], "The booking was cancelled.", status="cancelled")
        elif action == "change_date":
            self.office.change(row["id"], f"The date was changed to {day}.", date=day)
        else:
            total = round(row["total_eur"] / row["travellers"] * int(travellers or 1), 2)
            what = f"The number of travellers was changed to {travellers}."
            self.office.change(row["id"], what, travellers=travellers, total_eur=total)

    def _get_booking_history(self, booking_id: str) -> list[dict[str, Any]]:
        self._booked(booking_id)
        return [dict(row) for row in (*self.office.history(booking_id), *self.office.letters(booking_id))]

    def _create_case(self, kind: str, summary: str, booking_id: str | None = None) -> dict[str, Any]:
        days = DAYS[kind] if kind in DAYS else DAYS["complaint"]
        return {"case": self.office.open_case(booking_id, kind, summary), "answer_within": f"{days} working days"}

    def _escalate(self, category: str, reason: str) -> dict[str, Any]:
        return {"queue": self.office.hand_over(category, reason), "category": category}

    def _get_tips(self, city: str) -> list[dict[str, Any]]:
        tips = [passage(row) for row in self.office.tips(city)]
        self.sources += tips
        return tips

    def _search_products(
        self, query: str = "", city: str | None = None, max_price: float | None = None
    ) -> list[dict[str, Any]]:
        rows = [
            row
            for row in self.office.products()
            if (city is None or str(row["city"]).lower() == city.lower())
            and (max_price is None or row["price_eur"] <= max_price)
        ]
        found = [each.row for each in find(query, rows, ("title", "description", "city", "kind"), most=3)]
        chosen = found or (rows[:3] if city or max_price is not None else [])
        for row in chosen:
            self._rest_on_tour(row)
        return [{key: row[key] for key in ("id", "title", "city", "price_eur", "duration_hours")} for row in chosen]


@cache
def _signature(name: str) -> Signature:
    return signature(getattr(Toolbox, f"_{name}"))


def _terms(row: Row, action: str, now: datetime) -> dict[str, Any]:
    """Whether the rules allow it at this moment, and what is refunded."""
    start = datetime.fromisoformat(f"{row['date']}T{row['time']}")
    total = float(row["total_eur"])
    if row["status"] != "confirmed":
        return {"allowed": False, "why": f"the booking is {row['status']}", "refund_eur": 0.0}
    if action == "cancel" and row["kind"] == "multi-day":
        left = start - now
        share = 1.0 if left >= timedelta(days=FULL_DAYS) else 0.5 if left >= timedelta(days=HALF_DAYS) else 0.0
        return {"allowed": True, "why": "rules for tours of several days", "refund_eur": round(total * share, 2)}
    hours = FREE_HOURS[action]
    in_time = start - now >= timedelta(hours=hours)
    why = f"the start is {'more' if in_time else 'less'} than {hours} hours away"
    return {"allowed": in_time, "why": why, "refund_eur": total if in_time and action == "cancel" else 0.0}
