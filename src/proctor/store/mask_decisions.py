"""A gate's decision as it may be kept: personal data masked, secrets gone, customers under a name of their own."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, Final

from proctor.core.codec import dumps, encode
from proctor.core.entity import Entity
from proctor.core.errors import StoreError
from proctor.core.event import Event
from proctor.core.verdict import Finding, Verdict
from proctor.store.guard_secrets import mask_data, mask_named, mask_values, secret_values
from proctor.store.private_files import private_folder, write_private
from proctor.text.pii import KINDS, find_pii
from proctor.text.redact import redact

__all__ = ["LONGEST", "Masker", "customer_key", "masked", "naming", "parts_of", "text_of", "words_of"]

LONGEST: Final = 10_000  # letters of a text that are kept
_MARGIN: Final = 4_096  # characters read beyond them: a value that the cut goes through must not stand there unmasked
_NAME: Final = 256  # characters beyond them in which names are looked for
_PERSONAL: Final = frozenset({*KINDS, "person", "address", "ip", "url", "secret", "canary", "code", "date_of_birth"})
_PERSONAL_GATE: Final = "pii"
_WORD: Final = re.compile(r"[a-z_/]{0,40}")  # a word of ours: nothing that a pattern could find
_DRAWN: Final = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")  # a name nobody bears
_NOT_KEPT: Final = frozenset({"edits", "placeholders", "vault", "masked", "personal"})
_TEXT: Final = "text"
_PARTS: Final = "parts"
_SHADOW: Final = "shadow"
_LONG_NUMBER: Final = 9_999_999
_DEEPEST: Final = 20
_ASCII: Final = "\x7f"  # one letter beyond it may be a whole name


class Masker:
    """Takes out of texts what was found in one event, and whatever the patterns know besides."""

    __slots__ = ("_done", "_known", "_labels", "_secrets")

    def __init__(self, event: Event, *, entities: Iterable[Entity] = ()) -> None:
        self._done: dict[str, str] = {}  # a reason or a quote stands in the verdict and in a part of it
        self._labels = dict(_values(event))
        self._secrets = secret_values(event.metadata.get("call")) if event.metadata.get("call") else set[str]()
        for entity in entities:
            self._labels.setdefault(entity.text, _label(entity.kind))
        known = sorted((value for value in self._labels if len(value) > 1 or value > _ASCII), key=len, reverse=True)
        self._known = re.compile("|".join(map(_form, known))) if known else None

    def text(self, text: str) -> str:
        """The text with a label in each place; only its beginning when it is long."""
        made = self._done.get(text)
        if made is None:
            made = self._done[text] = self._masked(text)
        return made

    def _masked(self, text: str) -> str:
        # Cut first: a pattern holds the interpreter for as long as it reads, and over a megabyte that is long.
        kept = text[: LONGEST + _MARGIN]
        is_cut = len(kept) < len(text)
        if self._known is not None:  # a key in which a known value stands would not look like a key any more
            kept = redact(kept)
        if self._secrets:  # before anything else changes what they look like
            kept = mask_values(kept, self._secrets)
        if self._known is not None:
            kept = self._known.sub(lambda hit: self._labels[hit.group()], kept)
        if _WORD.fullmatch(kept):
            return kept
        kept = redact(mask_named(kept))
        for found in reversed(find_pii(kept)):
            kept = f"{kept[: found.start]}{_label(found.kind)}{kept[found.end :]}"
        if len(text) <= LONGEST:
            return kept
        # A label may be shorter than its value. Then more of the text comes within reach, up to the cut.
        return f"{kept[: max(0, min(LONGEST, len(kept) - _MARGIN)) if is_cut else LONGEST]}…"

    def data(self, value: Any) -> Any:
        """The same for JSON-like data and nouns: every text, and every number long enough to be somebody's."""
        return self._walk(mask_data(_plain(value)))

    def _walk(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self._walk(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._walk(item) for item in value]
        if isinstance(value, int) and abs(value) > _LONG_NUMBER:
            written = self.text(str(value))
            return value if written == str(value) else written
        return value

    def verdict(self, verdict: Verdict, *, part: bool = False) -> dict[str, Any]:
        """A verdict with its words masked; of a ``part`` the text is left out, since it is not what went on."""
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
        """A finding with its quote masked."""
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
    """The event as a line of the log; ``name`` makes what a customer is known by on record."""
    data: dict[str, Any] = {"kind": event.kind, "time": event.time.isoformat(), "id": event.id}
    if event.session:
        plain = _DRAWN.fullmatch(event.session) or masker.text(event.session) == event.session
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
    """What each gate said of the step that the event is about."""
    return tuple(part for part in event.metadata.get(_PARTS, ()) if isinstance(part, Verdict))


def _masked_by_gate(event: Event) -> str:
    """The whole text as a gate masked it, also for values that it let the customer see."""
    return next((part.masked for part in parts_of(event) if isinstance(part.masked, str)), "")


def text_of(event: Event) -> str:
    """The words that the gates looked at."""
    text = event.metadata.get(_TEXT)
    return text if isinstance(text, str) else ""


def words_of(event: Event) -> str:
    """Everything in which names may stand: the words, and what a tool is called with."""
    call = event.metadata.get("call")
    told = dumps(call).decode() if call else ""
    return "\n".join(filter(None, (text_of(event)[: LONGEST + _NAME], told[: LONGEST + _NAME])))


def customer_key(folder: Path) -> bytes:
    """The key that names of customers are made with: one for each project, made when it is first needed.

    Raises:
        StoreError: the folder cannot be written.
    """
    path = folder / "customers.key"
    try:
        if not path.exists():
            private_folder(folder)
            draft = folder / f".key-{os.getpid()}-{secrets.token_hex(4)}"
            write_private(draft, secrets.token_bytes(32))
            try:
                os.link(draft, path)  # whole or not at all, and of two processes the first wins
            except FileExistsError:
                pass
            finally:
                draft.unlink()
        return path.read_bytes()
    except OSError as error:
        hint = "make the folder writable, or name another under `store:`"
        raise StoreError(f"cannot be written: {error.strerror}", file=str(path), hint=hint) from error


def naming(key: bytes) -> Callable[[str], str]:
    """A function that gives the same customer the same name, from which nobody finds the way back without the key."""
    return lambda who: hashlib.blake2b(who.encode(errors="replace"), key=key, digest_size=8).hexdigest()


def _plain(value: Any, depth: int = 0) -> Any:
    """JSON-like data of whatever a plugin put there."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return str(value) if isinstance(value, str) else value
    if depth > _DEEPEST:
        return "…"
    if is_dataclass(value) and not isinstance(value, type):
        value = encode(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item, depth + 1) for key, item in value.items() if key not in _NOT_KEPT}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item, depth + 1) for item in value]
    return str(value)


def _values(event: Event) -> Iterator[tuple[str, str]]:
    """Personal values that were found in the event, with what stands there instead."""
    original = text_of(event)
    for verdict in (event.verdict, *parts_of(event)):
        for kind, value in verdict.personal if verdict is not None else ():
            yield value, _label(kind)
        for found in verdict.findings if verdict is not None else ():
            if found.kind.lower() in _PERSONAL or found.detector.split("/")[0] == _PERSONAL_GATE:
                yield found.text, _label(found.kind)
                if found.start is not None and found.end is not None:  # a quote may be shortened, the place is whole
                    yield original[found.start : found.end], _label(found.kind)


def _label(kind: str) -> str:
    return f"[{kind.upper()}]"


def _form(value: str) -> str:
    """A short value is looked for where it stands alone, a longer one everywhere."""
    if len(value) >= 6 or not value.isascii():
        return re.escape(value)
    return rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])"
