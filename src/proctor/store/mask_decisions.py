"""Mask gates' decisions for the log: personal data masked, secrets removed, customers pseudonymised."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from proctor.core.codec import dumps, encode
from proctor.core.entity import Entity
from proctor.core.errors import StoreError
from proctor.core.event import Event
from proctor.core.verdict import Finding, Verdict
from proctor.store.guard_secrets import mask_data, mask_named, mask_values, secret_values
from proctor.store.private_files import make_durable, private_folder, write_private
from proctor.text.pii import KINDS, find_pii
from proctor.text.redact import redact
from proctor.text.secret_forms import MASK
from proctor.text.secret_names import is_secret_field, is_secret_name

__all__ = [
    "GENERATED_ID",
    "LONGEST",
    "MAX_PLAIN_NUMBER",
    "Masker",
    "customer_key",
    "masked",
    "naming",
    "parts_of",
    "text_of",
    "words_of",
]

LONGEST: Final = 10_000  # characters of a text that are logged
_MARGIN_CHARS: Final = 4_096  # read beyond them: a value across the cut must be masked too
_NAME_MARGIN_CHARS: Final = 256  # beyond them that are searched for names
_PERSONAL: Final = frozenset({*KINDS, "person", "address", "ip", "url", "secret", "canary", "code", "date_of_birth"})
_PERSONAL_GATE: Final = "pii"
_WORD: Final = re.compile(r"[a-z_/]{0,40}")  # a word of ours, which matches no pattern
GENERATED_ID: Final = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")  # not a name
_NOT_KEPT: Final = frozenset({"edits", "placeholders", "vault", "masked", "personal"})
_TEXT: Final = "text"
_PARTS: Final = "parts"
_SHADOW: Final = "shadow"
MAX_PLAIN_NUMBER: Final = 9_999_999
_MAX_DEPTH: Final = 20
_PLAIN_TYPES: Final = frozenset({float, bool, type(None)})
_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
_ASCII: Final = "\x7f"  # a single character above it may be a whole name


class _Key(NamedTuple):
    """The name of a field: masked itself, and whether it is one of a secret."""

    masked: str
    is_field: bool
    is_name: bool

    def hides(self, value: Any) -> bool:
        """Return whether a value under this name is a secret."""
        return (self.is_field and isinstance(value, str)) or (self.is_name and value not in (None, "", True, False))


class Masker:
    """Masks what was found in one event, and whatever the patterns find."""

    __slots__ = ("_done", "_keys", "_known", "_labels", "_longest", "_secrets")

    def __init__(self, event: Event, *, entities: Iterable[Entity] = (), longest: int = LONGEST) -> None:
        self._longest = longest
        self._done: dict[str, str] = {}  # the same reason or quote occurs in the verdict and in a part of it
        self._keys: dict[str, _Key] = {}  # names of fields repeat in every event
        self._labels = dict(_values(event))
        self._secrets = secret_values(event.metadata.get("call")) if event.metadata.get("call") else set[str]()
        for entity in entities:
            self._labels.setdefault(entity.text, _label(entity.kind))
        known = sorted((value for value in self._labels if len(value) > 1 or value > _ASCII), key=len, reverse=True)
        self._known = re.compile("|".join(map(_form, known))) if known else None

    def text(self, text: str) -> str:
        """Return the masked text; only its beginning if it is long."""
        made = self._done.get(text)
        if made is None:
            made = self._done[text] = self._masked(text)
        return made

    @property
    def held(self) -> int:
        """The number of texts whose masked form is held in memory."""
        return len(self._done)

    def _masked(self, text: str) -> str:
        # Truncate first: a pattern holds the interpreter lock while it runs, which is long for a megabyte.
        kept = text[: self._longest + _MARGIN_CHARS]
        is_cut = len(kept) < len(text)
        if self._known is not None:  # a key that contains a masked value would no longer look like a key
            kept = redact(kept)
        if self._secrets:  # before other masks change their form
            kept = mask_values(kept, self._secrets)
        if self._known is not None:
            kept = self._known.sub(lambda hit: self._labels[hit.group()], kept)
        if _WORD.fullmatch(kept):
            return kept
        kept = redact(mask_named(kept))
        for found in reversed(find_pii(kept)):
            kept = f"{kept[: found.start]}{_label(found.kind)}{kept[found.end :]}"
        if len(text) <= self._longest:
            return kept
        # A label may be shorter than its value. Then more of the text is within the limit, up to the cut.
        return f"{kept[: max(0, min(self._longest, len(kept) - _MARGIN_CHARS)) if is_cut else self._longest]}…"

    def data(self, value: Any) -> Any:
        """Mask JSON-like data and dataclasses: every text, and every number long enough to be personal."""
        return self._made(value, 0)

    def _made(self, value: Any, depth: int) -> Any:
        """Return the same as to convert, mask what has a secret's name, and walk, in one pass."""
        kind = type(value)
        if depth < _MAX_DEPTH:
            if kind is str:
                return self._done.get(value) or self.text(value)
            if kind is dict:
                return self._made_dict(value, depth + 1)
            if kind is list:
                return [self._made(item, depth + 1) for item in value]
            if kind in _PLAIN_TYPES or (kind is int and abs(value) <= MAX_PLAIN_NUMBER):
                return value
        return self._walk(mask_data(_plain(value, depth), depth))

    def _made_dict(self, value: dict[Any, Any], depth: int) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, item in value.items():
            known = self._keys.get(key) if type(key) is str else None
            if known is None:
                if key in _NOT_KEPT:
                    continue
                name = str(key)
                known = _Key(self.text(name), is_secret_field(name), is_secret_name(name))
                if type(key) is str:
                    self._keys[name] = known
            if known.is_field or known.is_name:
                plain = item if type(item) in _SCALARS else _plain(item, depth)
                made[known.masked] = self._made(MASK if known.hides(plain) else item, depth)
            else:
                made[known.masked] = self._made(item, depth)
        return made

    def _walk(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self._walk(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._walk(item) for item in value]
        if isinstance(value, int) and abs(value) > MAX_PLAIN_NUMBER:
            written = self.text(str(value))
            return value if written == str(value) else written
        return value

    def verdict(self, verdict: Verdict, *, part: bool = False) -> dict[str, Any]:
        """Return a verdict with its texts masked; a ``part`` omits the text, since it is not the final one."""
        data = {key: item for key in _VERDICT if (item := getattr(verdict, key)) not in (None, "", False)}
        if verdict.reason:
            data["reason"] = self.text(verdict.reason)
        if verdict.findings:
            data["findings"] = [self.finding(each) for each in verdict.findings]
        if verdict.text is not None and not part:
            data["text"] = self.text(verdict.text)
        marks = {key: item for key in _MARKS if (item := getattr(verdict, key)) not in (None, False)}
        if isinstance(verdict.shadow, Verdict):
            data[_SHADOW] = self.verdict(verdict.shadow)
        rest = {key: item for key, item in {**marks, **verdict.extra}.items() if key not in data}
        return {**self.data(rest), **data} if rest else data

    def finding(self, finding: Finding) -> dict[str, Any]:
        """Return a finding with its quote masked."""
        data = {key: item for key in _FINDING if (item := getattr(finding, key)) not in (None, "")}
        if finding.text:
            data["text"] = self._labels.get(finding.text) or self.text(finding.text)
        if finding.reason:
            data["reason"] = self.text(finding.reason)
        return {**self.data(finding.extra), **data} if finding.extra else data


_FINDING: Final = ("kind", "detector", "start", "end", "confidence", "severity")
_MARKS: Final = ("by", "borderline", "busy", _SHADOW, "unrecorded")
_VERDICT: Final = ("action", "gate", "broken", "latency", "version")


def masked(event: Event, masker: Masker, *, name: Callable[[str], str]) -> dict[str, Any]:
    """Return the event as a row of the log; ``name`` pseudonymises a customer."""
    data: dict[str, Any] = {"kind": event.kind, "time": event.time.isoformat(), "id": event.id}
    if event.session:
        plain = GENERATED_ID.fullmatch(event.session) or masker.text(event.session) == event.session
        data["session"] = event.session if plain else name(event.session)
    if event.customer:
        data["customer"] = name(event.customer)
    for key in ("intent", "name"):
        if (value := getattr(event, key)) is not None:
            data[key] = masker.text(value)
    if event.value is not None:
        data["value"] = event.value
    if event.verdict is not None:
        data["verdict"] = masker.verdict(event.verdict)
    metadata = {key: item for key, item in event.metadata.items() if key != _PARTS}
    if _TEXT in metadata:
        metadata[_TEXT] = _masked_by_gate(event) or metadata[_TEXT]
    kept = masker.data(metadata) if metadata else {}
    if parts := parts_of(event):
        kept[_PARTS] = [masker.verdict(each, part=True) for each in parts]
    if kept:
        data["metadata"] = kept
    return {**masker.data(event.extra), **data} if event.extra else data


def parts_of(event: Event) -> tuple[Verdict, ...]:
    """Return the verdict of each gate on the event's step."""
    return tuple(part for part in event.metadata.get(_PARTS, ()) if isinstance(part, Verdict))


def _masked_by_gate(event: Event) -> str:
    """Return the whole text as masked by a gate, including values that the customer may see."""
    return next((part.masked for part in parts_of(event) if isinstance(part.masked, str)), "")


def text_of(event: Event) -> str:
    """Return the text that the gates checked."""
    text = event.metadata.get(_TEXT)
    return text if isinstance(text, str) else ""


def words_of(event: Event) -> str:
    """Return all text that may contain names: the message, and the arguments of a call."""
    call = event.metadata.get("call")
    told = dumps(call).decode() if call else ""
    return "\n".join(
        filter(None, (text_of(event)[: LONGEST + _NAME_MARGIN_CHARS], told[: LONGEST + _NAME_MARGIN_CHARS]))
    )


def customer_key(folder: Path) -> bytes:
    """Return the key for the pseudonyms of customers: one per project, created on first use.

    Raises:
        StoreError: the folder cannot be written.
    """
    path = folder / "customers.key"
    try:
        if not path.exists():
            private_folder(folder)
            draft = folder / f".key-{os.getpid()}-{secrets.token_hex(4)}"
            try:
                write_private(draft, secrets.token_bytes(32))
                make_durable(draft)  # an empty key, after a power failure, would hide nobody
                os.link(draft, path)  # atomic, and the first of two processes wins
            except FileExistsError:
                pass
            finally:
                draft.unlink(missing_ok=True)
        return path.read_bytes()
    except OSError as error:
        hint = "make the folder writable, or name another under `store:`"
        raise StoreError(f"cannot be written: {error.strerror}", file=str(path), hint=hint) from error


def naming(key: bytes) -> Callable[[str], str]:
    """Return a function that gives each customer a stable pseudonym, which cannot be reversed without the key."""
    return lambda who: hashlib.blake2b(who.encode(errors="replace"), key=key, digest_size=8).hexdigest()


def _plain(value: Any, depth: int = 0) -> Any:
    """Convert whatever a plugin put there to JSON-like data."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return str(value) if isinstance(value, str) else value
    if depth > _MAX_DEPTH:
        return "…"
    if is_dataclass(value) and not isinstance(value, type):
        value = encode(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item, depth + 1) for key, item in value.items() if key not in _NOT_KEPT}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item, depth + 1) for item in value]
    return str(value)


def _values(event: Event) -> Iterator[tuple[str, str]]:
    """Yield the personal values found in the event, with their labels."""
    original = text_of(event)
    for verdict in (event.verdict, *parts_of(event)):
        for kind, value in verdict.personal if verdict is not None else ():
            yield value, _label(kind)
        for found in verdict.findings if verdict is not None else ():
            if found.kind.lower() in _PERSONAL or found.detector.split("/")[0] == _PERSONAL_GATE:
                yield found.text, _label(found.kind)
                if found.start is not None and found.end is not None:  # a quote may be shortened, the span is complete
                    yield original[found.start : found.end], _label(found.kind)


def _label(kind: str) -> str:
    return f"[{kind.upper()}]"


def _form(value: str) -> str:
    """Return the pattern of a value: a short one must be a whole word, a longer one may be anywhere."""
    if len(value) >= 6 or not value.isascii():
        return re.escape(value)
    return rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])"
