"""Remove links and images that lead to unknown hosts or carry data of the session out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal

from proctor.core.step import Point
from proctor.core.verdict import ACTION_RANK, Action, Edit, Finding, Severity, Verdict
from proctor.guard.edits import apply
from proctor.guard.link_origin import LinkOrigin
from proctor.guard.session_values import SessionValues
from proctor.guard.step import Step
from proctor.guard.step_readings import quote
from proctor.text.code_spans import code_spans
from proctor.text.embedded_data import embedded_text
from proctor.text.link_syntax import MAX_LINKS, WrittenLink, find_links, may_have_links
from proctor.text.web_address import WebAddress, parse_address

__all__ = ["Links"]

LinkAction = Literal["flag", "redact", "escalate", "block"]
_MAX_DRAFT_CHARS: Final = 200_000  # a longer draft with links is stopped unread
_MAX_FINDINGS: Final = 64
_SCRIPTS: Final = ("javascript", "vbscript")  # schemes that run code when clicked
_CONFIDENCE: Final = {
    "session_data": 0.95,
    "imitated_host": 0.85,
    "script": 0.95,
    "redirect": 0.8,
    "unknown_image": 0.8,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """What is wrong with a link, and the action for it."""

    kind: str
    reason: str
    action: LinkAction
    severity: Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Removes images and links to unknown hosts, and those whose address carries data of the session.

    ``hosts`` are your own hosts, with their subdomains. Also known is what the sources, a field of a tool's result or
    the customer gave. ``action`` is for unknown images, imitated hosts and scripts, ``data`` for addresses that carry
    data, ``unknown`` for plain links to unknown hosts: by default they are removed if there are ``hosts``, else noted.
    ``prompt`` is the text of the system prompt, which no address may carry.
    """

    name: ClassVar[str] = "links"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[Point, ...]] = ("output",)
    pure: ClassVar[bool] = False
    primary: ClassVar[str | None] = "hosts"

    hosts: tuple[str, ...] = ()
    action: LinkAction = "redact"
    data: LinkAction = "redact"
    unknown: LinkAction | None = None
    images: Literal["given", "hosts"] = "given"
    prompt: str = ""
    _hosts: tuple[str, ...] = field(init=False, repr=False, compare=False, default=())

    def __post_init__(self) -> None:
        made = tuple(_domain(each) for each in self.hosts)
        object.__setattr__(self, "_hosts", made)

    async def check(self, step: Step) -> Verdict:
        """Judge each link and image of the draft by where its address comes from and what it carries."""
        if not may_have_links(step.text):
            return Verdict(action="allow", gate=self.name, version=self.version)
        links = find_links(step.text) if len(step.text) <= _MAX_DRAFT_CHARS else []
        if len(step.text) > _MAX_DRAFT_CHARS or len(links) > MAX_LINKS:
            reason = f"only drafts of up to {_MAX_DRAFT_CHARS:,} characters and {MAX_LINKS} links are read"
            unread = Finding(kind="unread", detector=self.name, confidence=1.0, severity="medium", reason=reason)
            return Verdict(action="escalate", gate=self.name, version=self.version, reason=reason, findings=(unread,))
        found = list(self._found(step, links))
        if not found:
            return Verdict(action="allow", gate=self.name, version=self.version)
        actions: list[Action] = ["allow" if case.action == "flag" else case.action for _, case in found]
        action = max(actions, key=ACTION_RANK.__getitem__)
        found.sort(key=lambda each: -ACTION_RANK["allow" if each[1].action == "flag" else each[1].action])
        edits = tuple(Edit(start=e.start, end=e.end, text=e.instead) for e, case in found if case.action == "redact")
        return Verdict(
            action=action,
            gate=self.name,
            version=self.version,
            reason="" if action == "allow" else found[0][1].reason,
            findings=tuple(self._finding(link, case) for link, case in found[:_MAX_FINDINGS]),
            text=apply(step.text, edits) if action == "redact" else None,
            edits=edits if action == "redact" else None,
        )

    def ahead(self, step: Step) -> Iterator[None]:
        """Read the tool results of the session before the draft arrives, one at each step."""
        yield from SessionValues(step).prepare()

    def _found(self, step: Step, links: Sequence[WrittenLink]) -> Iterator[tuple[WrittenLink, _Case]]:
        origin = LinkOrigin(hosts=self._hosts, session=SessionValues(step, self.prompt))
        for link in links:
            case = self._case(link, origin)
            if link.form == "code" and (case is None or case.action == "flag"):
                case = self._sent_by_code(link, step.text, origin) or case
            if case is not None:
                yield link, case

    def _sent_by_code(self, link: WrittenLink, text: str, origin: LinkOrigin) -> _Case | None:
        """Judge what the code around an address sends to a host that nothing names."""
        address = parse_address(link.address)
        if address is None or not address.host or origin.is_allowed(address) or origin.knows(address.host):
            return None
        code = next((text[start:end] for start, end in code_spans(text) if start <= link.start < end), "")
        if not origin.is_sent_by_code(link.address, code):
            return None
        reason = f"code sends a value of this session to {address.host}"
        return _Case(kind="session_data", reason=reason, action=self.data, severity="high")

    def _case(self, link: WrittenLink, origin: LinkOrigin) -> _Case | None:
        address = parse_address(link.address)
        if address is None:
            return None
        if address.scheme in _SCRIPTS or (address.scheme == "data" and link.form != "image"):
            return None if link.form in ("text", "code") else self._stop("script", "a link runs code", "high")
        if address.scheme == "data":
            return self._embedded(address, origin)
        targets = origin.targets(address)
        if not targets:
            return None
        for target in targets:
            if (case := self._judged(link, address, target, origin)) is not None:
                return case
        return None

    def _judged(self, link: WrittenLink, address: WebAddress, target: WebAddress, origin: LinkOrigin) -> _Case | None:
        """Judge one target of a link: its own host, or one that it redirects to."""
        if origin.is_allowed(target):
            return None
        given = origin.is_given(link.address) or (
            link.form != "image" and target is address and origin.is_documented(address)
        )
        if not given and (data := origin.carried(address, target)) is not None:
            how = f" in {data.coded}" if data.coded else ""
            reason = f"the address of {_a(link)} carries {data.kind} of this session{how} to {target.host}"
            action: LinkAction = "flag" if link.form == "code" else self.data
            return _Case(kind="session_data", reason=reason, action=action, severity="high")
        if link.form == "image" and not (given and self.images == "given" and origin.is_trusted(link.address)):
            return self._stop("unknown_image", f"an image would be loaded from {target.host}", "medium")
        if origin.is_trusted(link.address) or origin.knows(target.host) or origin.is_reported(link.address):
            return None
        if link.form != "code" and (imitated := origin.imitated(target, link.label)) is not None:
            return self._stop("imitated_host", f"{target.host or link.address} imitates {imitated}", "high")
        if link.form in ("text", "code") or target.scheme == "mailto":
            return None
        if target is not address and (origin.is_allowed(address) or origin.knows(address.host)):
            return self._stop("redirect", f"a link to {address.host} leads on to {target.host}", "high")
        listed: LinkAction = self.unknown or ("redact" if self._hosts else "flag")
        reason = f"nothing in this session names the host {target.host}"
        return _Case(kind="unknown_link", reason=reason, action=listed, severity="low")

    def _embedded(self, address: WebAddress, origin: LinkOrigin) -> _Case | None:
        """Judge what an image in the address itself would load."""
        for link in find_links(embedded_text(address.rest)):
            if (
                link.form in ("image", "link")
                and (case := self._case(link, origin)) is not None
                and case.action != "flag"
            ):
                return case
        return None

    def _stop(self, kind: str, reason: str, severity: Severity) -> _Case:
        return _Case(kind=kind, reason=reason, action=self.action, severity=severity)

    def _finding(self, link: WrittenLink, case: _Case) -> Finding:
        return Finding(
            kind=case.kind,
            detector=self.name,
            text=quote(link.address),
            start=link.start,
            end=link.end,
            confidence=_CONFIDENCE.get(case.kind, 0.6),
            severity=case.severity,
            reason=case.reason,
        )


def _a(link: WrittenLink) -> str:
    return "an image" if link.form == "image" else "a link"


def _domain(written: str) -> str:
    """Return a configured host in one form; `*.` and an address around it are accepted."""
    address = parse_address(written if "//" in written else f"https://{written}")
    host = address.host.removeprefix("*.") if address else ""
    if "." not in host.strip(".") and host != "localhost":
        raise ValueError(f"{written!r} is no host; write for example help.acme.example")
    return host
