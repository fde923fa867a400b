"""Trace the values of a tool call to where they came from: the customer, a record, or text that anybody wrote."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from proctor.core.chat import ToolCall
from proctor.guard.call_values import CallValue, call_values, kind_of
from proctor.guard.result_fields import ResultParts, split_result
from proctor.guard.step import Step
from proctor.guard.traced_text import TracedText, assembled, squeeze, value_forms
from proctor.lexicon.requested_acts import quotations, without_quotations

__all__ = ["Origin", "Origins", "ReadResult", "TracedValue"]

Origin = Literal["customer", "configuration", "record", "free_text", "agent"]

_MAX_CACHED: Final = 2_048
_MIN_ASSEMBLED: Final = 6
_MIN_PROSE_WORDS: Final = 6
_ASSEMBLED_KINDS: Final = frozenset(("address", "account", "code", "link", "secret"))


class ReadResult:
    """The result of one call, split into fields and free text; each form is made when it is first needed."""

    def __init__(self, call: ToolCall, parts: ResultParts) -> None:
        self.call = call
        self.fields = parts.fields
        self.free = TracedText(parts.free)
        self.has_prose = len(parts.free.split(None, _MIN_PROSE_WORDS)) > _MIN_PROSE_WORDS

    def in_field(self, value: CallValue) -> bool:
        """Return whether the value is the whole of a field, in whatever format, or a name within one."""
        if value.text in self._exact:
            return True
        if value.kind in ("number", "time"):
            return self._numbers.holds(value)
        if value.kind == "name":
            return self._names.holds(value)
        return any(form in self._squeezed for form in value_forms(value))

    @cached_property
    def _exact(self) -> frozenset[str]:
        return frozenset(self.fields)

    @cached_property
    def _squeezed(self) -> frozenset[str]:
        return frozenset(map(squeeze, self.fields))

    @cached_property
    def _numbers(self) -> TracedText:
        return TracedText("\n".join(each for each in self.fields if kind_of(each) in ("number", "time", "code")))

    @cached_property
    def _names(self) -> TracedText:
        return TracedText("\n".join(self.fields))


@dataclass(frozen=True, slots=True)
class TracedValue:
    """A value of a call and its origin; ``result`` is the result it was found in, if any."""

    value: CallValue
    origin: Origin
    result: ReadResult | None = None

    @property
    def tool(self) -> str:
        """The name of the tool whose result has the value; empty if there is none."""
        return "" if self.result is None else self.result.call.name


class Origins:
    """Finds the origin of values. Messages and results are read once and kept, the newest two thousand of them.

    Results are kept by the call's ``id()``; the call is kept alive so that the id is not reused.
    """

    __slots__ = ("_messages", "_results")

    def __init__(self) -> None:
        self._messages: OrderedDict[str, TracedText] = OrderedDict()
        self._results: OrderedDict[int, ReadResult] = OrderedDict()

    def traced(
        self, step: Step, *, agreed: str = "", trusted: Sequence[str] = (), known: Sequence[str] = ()
    ) -> tuple[TracedValue, ...]:
        """Return each value of the call with its origin.

        ``agreed`` is what the customer said yes to, ``trusted`` are tools whose free text counts as a record, and
        ``known`` are values of the configuration.
        """
        assert step.call is not None
        values = call_values(step.call.arguments)
        if not values:
            return ()
        said = [self.message(without_quotations(text)) for text in step.memory.asked]
        said += [self.message(agreed)] if agreed else []
        given = [*map(self.message, known), *_configured(step)]
        results = [self.result(call) for call in step.memory.calls if call.result is not None]
        documents = [self.message(source.text) for source in step.memory.sources]
        documents += [self.message(quoted) for text in step.memory.asked if (quoted := quotations(text))]
        return tuple(_origin(value, said, given, results, documents, trusted) for value in values)

    def message(self, text: str) -> TracedText:
        """Return a message or document in its forms."""
        found = self._messages.get(text)
        if found is None:
            found = self._messages[text] = TracedText(text)
            if len(self._messages) > _MAX_CACHED:
                self._messages.popitem(last=False)
        return found

    def result(self, call: ToolCall) -> ReadResult:
        """Return the result of a call in its parts."""
        known = self._results.get(id(call))
        if known is not None and known.call is call:
            return known
        made = self._results[id(call)] = ReadResult(call, split_result(call.result))
        if len(self._results) > _MAX_CACHED:
            self._results.popitem(last=False)
        return made


def _origin(
    value: CallValue,
    said: Sequence[TracedText],
    given: Sequence[TracedText],
    results: Sequence[ReadResult],
    documents: Sequence[TracedText],
    trusted: Sequence[str],
) -> TracedValue:
    if any(text.holds(value) for text in said) or _assembled(value, said):
        return TracedValue(value, "customer")
    if any(text.holds(value) for text in given):
        return TracedValue(value, "configuration")
    for result in reversed(results if value.kind != "text" else ()):
        if result.in_field(value):
            return TracedValue(value, "record", result)
    for result in reversed(results):
        if _written(value, result.free):
            origin: Origin = "record" if result.call.name in trusted else "free_text"
            return TracedValue(value, origin, result)
    if any(_written(value, text) for text in documents) or _assembled(value, [*documents, *_frees(results)]):
        return TracedValue(value, "free_text")
    return TracedValue(value, "agent")


def _written(value: CallValue, text: TracedText) -> bool:
    """Return whether a text holds the value: in clear, encoded or backwards."""
    if text.holds(value):
        return True
    if value.kind not in _ASSEMBLED_KINDS or not text.plain:
        return False
    if len(value.text) >= _MIN_ASSEMBLED and value.text[::-1] in text.plain:
        return True
    decoded = text.decoded
    return decoded is not None and decoded.holds(value)


def _assembled(value: CallValue, texts: Sequence[TracedText]) -> bool:
    """Return whether a value was put together from parts of these texts."""
    if value.kind not in _ASSEMBLED_KINDS or not texts:
        return False
    whole = squeeze(value.text)
    return len(whole) >= _MIN_ASSEMBLED and assembled(whole, "\n".join(text.squeezed for text in texts))


def _frees(results: Sequence[ReadResult]) -> Iterator[TracedText]:
    return (result.free for result in results if result.free.plain)


def _configured(step: Step) -> Iterator[TracedText]:
    """Yield what the caller states about the customer: the id and the metadata of the step."""
    if step.memory.customer:
        yield TracedText(step.memory.customer)
    for value in step.metadata.values():
        if isinstance(value, str):
            yield TracedText(value)
        elif isinstance(value, Mapping):
            yield TracedText("\n".join(str(each) for each in value.values()))
        elif isinstance(value, (list, tuple, set, frozenset)):
            yield TracedText("\n".join(map(str, value)))
