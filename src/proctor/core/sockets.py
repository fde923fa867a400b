"""The shapes that parts plug into: protocols only.

An implementation is a frozen dataclass. Its plain fields are its settings; a field made with
``socket()`` is filled by wiring with the live object of that name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

from proctor.core.case import Case
from proctor.core.chat import Reply, Request
from proctor.core.entity import Entity
from proctor.core.report import Result
from proctor.core.score import Score
from proctor.core.step import GateStep
from proctor.core.trajectory import Trajectory, Turn
from proctor.core.verdict import Verdict

__all__ = [
    "Attack",
    "Cache",
    "Catalogue",
    "Classifier",
    "Conversation",
    "Embedder",
    "Entailer",
    "Gate",
    "Grounder",
    "Http",
    "HttpReply",
    "Kit",
    "Ledger",
    "Model",
    "Scorer",
    "Tagger",
    "Talking",
    "Target",
    "is_optional",
    "is_socket",
    "socket",
]

_SOCKET = "proctor.socket"
_OPTIONAL = "proctor.optional"
StepT_contra = TypeVar("StepT_contra", bound=GateStep, contravariant=True)


def socket(*, optional: bool = False) -> Any:
    """A field that wiring fills with a live object (a model, an embedder, a catalogue).

    An optional one stays ``None`` when nobody names a live object for it.
    """
    if optional:
        return dataclasses.field(default=None, metadata={_SOCKET: True, _OPTIONAL: True}, repr=False, compare=False)
    return dataclasses.field(metadata={_SOCKET: True}, repr=False, compare=False)


def is_socket(field: dataclasses.Field[Any]) -> bool:
    """Whether a field was made with ``socket()``."""
    return bool(field.metadata.get(_SOCKET))


def is_optional(field: dataclasses.Field[Any]) -> bool:
    """Whether a socket may stay empty."""
    return bool(field.metadata.get(_OPTIONAL))


@runtime_checkable
class Model(Protocol):
    """A chat model: a request in, a reply out, a ``ModelError`` when there is none."""

    @property
    def name(self) -> str:
        """``provider:model``, as reports show it."""
        ...

    async def complete(self, request: Request) -> Reply:
        """Answer the request."""
        ...


@runtime_checkable
class Conversation(Protocol):
    """One case being put to a target, turn by turn. Holds whatever state the target needs."""

    async def say(self, text: str) -> Turn:
        """Put one user message and return the turn it led to; raise when there is no answer."""
        ...


@runtime_checkable
class Target(Protocol):
    """What is under test."""

    @property
    def name(self) -> str:
        """The name reports show it by."""
        ...

    @property
    def spec(self) -> Mapping[str, Any]:
        """What decides its behaviour, for the run's fingerprint; never a secret."""
        ...

    async def run(self, case: Case, *, sample: int = 0) -> Trajectory:
        """Put the case to it. What goes wrong is in the trajectory, not raised."""
        ...


@runtime_checkable
class Talking(Protocol):
    """A target that can be talked to turn by turn, so that something can stand between two turns: a guard, an attacker.

    A target without ``begin`` can still be guarded, but only as a whole: before its first turn and after its last.
    """

    def begin(self, case: Case, *, sample: int = 0) -> Conversation:
        """Begin a conversation; the case says what there is beside the words: history, inputs, page."""
        ...


@runtime_checkable
class Scorer(Protocol):
    """Turns a trajectory into a score.

    ``threshold`` is what passes when a suite names none; ``None`` means the score only informs.
    ``primary`` is the setting that ``- contains: text`` fills when no setting is named.
    """

    name: ClassVar[str]
    version: ClassVar[str]
    threshold: ClassVar[float | None]
    primary: ClassVar[str | None]

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Score one trajectory; raise only for a broken scorer, never for a bad answer."""
        ...


@runtime_checkable
class Gate(Protocol[StepT_contra]):
    """Turns a step of a live conversation into a verdict.

    The guard needs a ``Gate[proctor.guard.step.Step]``. A gate that takes any ``GateStep`` is one too.

    Two attributes are optional, for gates of any package. ``pure = True`` says that ``check`` is fast plain code that
    never waits: it is called right where a step arrives, with no thread and no timeout. A method ``ahead(step)`` of a
    gate at the output is an iterator that prepares what tools returned while the agent still writes its answer. It is
    run on a background thread and can be stopped at each ``yield``.
    """

    name: ClassVar[str]
    version: ClassVar[str]

    async def check(self, step: StepT_contra) -> Verdict:
        """Decide about one step; raising means the gate is broken, and a broken gate blocks."""
        ...


@runtime_checkable
class Attack(Protocol):
    """Makes cases that try to break a target."""

    name: ClassVar[str]
    version: ClassVar[str]

    def cases(self, *, seed: int, count: int) -> AsyncIterator[Case]:
        """Attempts, at most ``count``, the same for the same seed."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors of length one."""

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """One vector per text."""
        ...


@runtime_checkable
class Classifier(Protocol):
    """Turns texts into probabilities of labels."""

    async def classify(self, texts: Sequence[str]) -> Sequence[Mapping[str, float]]:
        """One mapping of label to probability per text."""
        ...


@runtime_checkable
class Entailer(Protocol):
    """Says whether a premise entails a hypothesis."""

    async def entails(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Mapping[str, float]]:
        """Probabilities of entailment, neutral and contradiction per (premise, hypothesis)."""
        ...


@runtime_checkable
class Grounder(Protocol):
    """Says whether a passage supports everything that a text claims."""

    async def supports(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        """The probability of full support per (passage, text)."""
        ...


@runtime_checkable
class Tagger(Protocol):
    """Finds the names of people, places and organisations, and addresses, in texts."""

    async def entities(self, texts: Sequence[str]) -> Sequence[Sequence[Entity]]:
        """The entities of each text, in order, none overlapping."""
        ...


@runtime_checkable
class Catalogue(Protocol):
    """The live truth about products; asked each time, never cached."""

    async def find(self, key: str) -> Mapping[str, Any] | None:
        """The product with this id or title, as it is now."""
        ...


@runtime_checkable
class Cache(Protocol):
    """Replies by the hash of the full request."""

    def get(self, key: str) -> Reply | None:
        """The reply kept under this key."""
        ...

    def put(self, key: str, request: Request, reply: Reply, *, model: str) -> None:
        """Keep a reply; durable when this returns."""
        ...


@runtime_checkable
class Ledger(Protocol):
    """A run's memory: what was kept is there after kill -9. Units are known by an 8-byte key."""

    def finished(self, key: int) -> bool:
        """Whether the unit has its result already."""
        ...

    def pending(self, key: int) -> Trajectory | None:
        """The trajectory of a unit that was not scored to the end."""
        ...

    def keep_trajectory(self, key: int, *, case: Case, target: str, sample: int, trajectory: Trajectory) -> None:
        """Keep what the target did, before it is scored."""
        ...

    def keep_result(self, key: int, result: Result) -> None:
        """Keep the scores of a unit whose trajectory was kept."""
        ...


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class HttpReply:
    """What an HTTP server answered; header names are lower-case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    latency: float


@runtime_checkable
class Http(Protocol):
    """The one door to the network: a connection pool shared by a whole run."""

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout: float = 60.0,  # noqa: ASYNC109 - the door owns its time-out
        max_bytes: int = 8_000_000,
    ) -> HttpReply:
        """Send one request and read the whole answer, whatever its status.

        Raises:
            UnreachableError: no connection, or it was dropped.
            TimedOutError: no full answer within ``timeout`` seconds.
            ReplyError: the answer is larger than ``max_bytes``.
        """
        ...


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """What wiring hands to a factory of models or targets: its settings and the doors it may use.

    ``settings`` is the mapping from proctor.yaml, less what wiring itself reads. Relative paths in it
    are relative to ``folder``. ``env`` reads one environment variable: secrets come only through it.
    ``cache`` is the user's folder of fetched things.
    """

    name: str
    settings: Mapping[str, Any]
    folder: str
    env: Callable[[str], str | None]
    http: Http
    model: Callable[[str | None], Model]
    cache: str = ""
