"""Trace the values of a tool call to where they came from: the customer, a record, or text that anybody wrote."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, TypeVar

from proctor.core.chat import ToolCall
from proctor.guard.call_values import CallValue, call_values, kind_of
from proctor.guard.result_fields import ResultParts, split_result
from proctor.guard.session_memory import Memory
from proctor.guard.step import Step
from proctor.guard.traced_text import JoinedText, TracedText, assembled, squeeze, value_forms
from proctor.lexicon.requested_acts import quotations, without_quotations

__all__ = ["FieldValues", "Origin", "Origins", "ReadResult", "SessionTexts", "TracedValue"]

Item = TypeVar("Item")
Origin = Literal["customer", "configuration", "record", "free_text", "agent"]

_MAX_CACHED: Final = 2_048
_MAX_SESSIONS: Final = 128
_MAX_JOINED: Final = 192  # texts of a session that are searched; then those it remembers are joined again
_Key = tuple[tuple[int, int, int], ...]
_MIN_ASSEMBLED: Final = 6
_COMMON_FORMS: Final = ("numbers", "days", "squeezed", "decoded")
_ASSEMBLED_KINDS: Final = frozenset(("address", "account", "code", "link", "secret"))


class ReadResult:
    """The result of one call, split into fields and free text; each form is made when it is first needed."""

    def __init__(self, call: ToolCall, parts: ResultParts) -> None:
        self.call = call
        self.fields = parts.fields
        self.exact = frozenset(parts.fields)
        self.free = TracedText(parts.free)
        self.is_record = bool(parts.fields)

    def in_field(self, value: CallValue) -> bool:
        """Return whether the value is the whole of a field, in whatever format, or a name within one."""
        return FieldValues((self,)).holds(value)

    @cached_property
    def arguments(self) -> tuple[CallValue, ...]:
        """The values that the call was made with."""
        return call_values(self.call.arguments)

    @cached_property
    def addresses(self) -> tuple[str, ...]:
        """The fields that are addresses."""
        return tuple(each for each in self.fields if "@" in each)

    @cached_property
    def squeezed(self) -> frozenset[str]:
        """The letters and digits of each field."""
        return frozenset(map(squeeze, self.fields))

    @cached_property
    def numbers(self) -> TracedText:
        """The fields that are numbers, dates or codes."""
        return TracedText("\n".join(each for each in self.fields if kind_of(each) in ("number", "time", "code")))

    @cached_property
    def names(self) -> TracedText:
        """All fields."""
        return TracedText("\n".join(self.fields))


@dataclass(frozen=True, slots=True)
class TracedValue:
    """A value of a call and its origin; ``result`` is the result in whose free text it stands."""

    value: CallValue
    origin: Origin
    result: ReadResult | None = None

    @property
    def tool(self) -> str:
        """The name of the tool whose result has the value; empty if there is none."""
        return "" if self.result is None else self.result.call.name


@dataclass(frozen=True, slots=True)
class SessionTexts:
    """The texts of a session by who wrote them: the customer, the tools' results, other documents."""

    said: JoinedText
    results: tuple[ReadResult, ...]
    documents: JoinedText
    fields: FieldValues
    free: JoinedText


class FieldValues:
    """The fields of several results, searched together; ``base`` are those of the results before."""

    def __init__(self, results: Sequence[ReadResult], base: FieldValues | None = None) -> None:
        known = base or _NO_FIELDS
        self._exact: frozenset[str] = known._exact.union(*(each.exact for each in results))
        self._squeezed: frozenset[str] = known._squeezed.union(*(each.squeezed for each in results))
        self.numbers: JoinedText = JoinedText([each.numbers for each in results], known.numbers)
        self._names: JoinedText = JoinedText([each.names for each in results], known._names)

    def holds(self, value: CallValue) -> bool:
        """Return whether some result has the value as a field."""
        if value.text in self._exact:
            return True
        if value.kind in ("number", "time"):
            return self.numbers.holds(value)
        if value.kind == "name":
            return self._names.holds(value)
        return any(form in self._squeezed for form in value_forms(value))


class _NoFields(FieldValues):
    """The fields of no result."""

    def __init__(self) -> None:
        self._exact = self._squeezed = frozenset()
        self.numbers = self._names = JoinedText([])


_NO_FIELDS: Final = _NoFields()
_NO_TEXTS: Final = SessionTexts(JoinedText([]), (), JoinedText([]), _NO_FIELDS, JoinedText([]))


@dataclass(frozen=True, slots=True)
class _Session:
    """The texts of a session at one time. ``held`` keeps what ``key`` has the ids of alive."""

    memory: Memory
    key: _Key
    held: tuple[object, ...]
    texts: SessionTexts


class Origins:
    """Finds the origin of values. Each message and result is read once; the newest two thousand are kept.

    Results are kept by the call's ``id()``, and sessions by that of their memory. Both are kept alive, so that
    the id is not reused.
    """

    __slots__ = ("_messages", "_own", "_results", "_sessions")

    def __init__(self) -> None:
        self._messages: OrderedDict[str, TracedText] = OrderedDict()
        self._own: OrderedDict[str, tuple[TracedText, TracedText | None]] = OrderedDict()
        self._results: OrderedDict[int, ReadResult] = OrderedDict()
        self._sessions: OrderedDict[int, _Session] = OrderedDict()

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
        texts = self.session(step.memory)
        given = [*map(self.message, known), *_configured(step)]
        yes = self.message(agreed) if agreed else None
        return tuple(_origin(value, texts, yes, given, trusted) for value in values)

    def session(self, memory: Memory) -> SessionTexts:
        """Return the texts of a session."""
        held = (memory.asked, memory.calls, memory.sources)
        key = tuple((id(each), len(each), id(each[-1]) if each else 0) for each in held)
        kept = self._sessions.get(id(memory))
        if kept is not None and kept.memory is memory and kept.key == key:
            return kept.texts
        before = kept.texts if kept is not None and kept.memory is memory else None
        made = self._joined(memory, before)
        self._sessions[id(memory)] = _Session(memory, key, (*held, *(each[-1] for each in held if each)), made)
        if len(self._sessions) > _MAX_SESSIONS:
            self._sessions.popitem(last=False)
        return made

    def prepare(self, memory: Memory) -> Iterator[None]:
        """Read the texts of a session and make the forms that calls are searched for in, one at each step."""
        texts = self.session(memory)
        yield
        for text in (texts.said, texts.free, texts.fields.numbers):
            for form in _COMMON_FORMS:
                getattr(text, form)
                yield

    def _joined(self, memory: Memory, before: SessionTexts | None) -> SessionTexts:
        """Return the texts of a session, added to those before; what the session has forgotten is kept for a while."""
        messages = [self.own_words(text) for text in memory.asked]
        said = [own for own, _ in messages]
        documents = [self.message(source.text) for source in memory.sources]
        documents += [quoted for _, quoted in messages if quoted is not None]
        results = [self.result(call) for call in memory.calls if call.result is not None]
        if before is None or len(before.results) + len(before.said.parts) > _MAX_JOINED:
            before = _NO_TEXTS
        results = _new(results, before.results)
        return SessionTexts(
            said=JoinedText(_new(said, before.said.parts), before.said),
            results=(*before.results, *results),
            documents=JoinedText(_new(documents, before.documents.parts), before.documents),
            fields=FieldValues(results, before.fields),
            free=JoinedText([each.free for each in results if each.free.plain], before.free),
        )

    def own_words(self, text: str) -> tuple[TracedText, TracedText | None]:
        """Return a customer's message without its long quotations, and the quotations."""
        found = self._own.get(text)
        if found is None:
            quoted = quotations(text)
            found = TracedText(without_quotations(text)), TracedText(quoted) if quoted else None
            self._own[text] = found
            if len(self._own) > _MAX_CACHED:
                self._own.popitem(last=False)
        return found

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


def _new(found: list[Item], known: Sequence[Item]) -> list[Item]:
    """Return what is not among the known, by identity."""
    ids = set(map(id, known))
    return [each for each in found if id(each) not in ids]


def _origin(
    value: CallValue, texts: SessionTexts, yes: TracedText | None, given: Sequence[TracedText], trusted: Sequence[str]
) -> TracedValue:
    if texts.said.holds(value) or (yes is not None and yes.holds(value)) or _assembled(value, texts.said):
        return TracedValue(value, "customer")
    if any(text.holds(value) for text in given):
        return TracedValue(value, "configuration")
    if value.kind != "text" and texts.fields.holds(value):
        return TracedValue(value, "record")
    if _written(value, texts.free):
        result = next((each for each in reversed(texts.results) if _written(value, each.free)), None)
        is_trusted = result is not None and result.call.name in trusted
        return TracedValue(value, "record" if is_trusted else "free_text", result)
    if _written(value, texts.documents) or _assembled(value, texts.free) or _assembled(value, texts.documents):
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


def _assembled(value: CallValue, text: TracedText) -> bool:
    """Return whether a value was put together from parts of a text."""
    if value.kind not in _ASSEMBLED_KINDS or not text.plain:
        return False
    if value.kind in ("address", "link"):
        return text.has_parts(value)
    whole = squeeze(value.text)
    return len(whole) >= _MIN_ASSEMBLED and assembled(whole, text.squeezed)


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
