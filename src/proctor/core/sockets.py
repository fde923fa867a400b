"""The protocols that parts implement.

An implementation is a frozen dataclass. Its plain fields are its settings; a field made with
``socket()`` is filled by wiring with the live object of that name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

from proctor.core.acceptability import Acceptability
from proctor.core.attack import AttackDraft, Plant
from proctor.core.case import Case
from proctor.core.chat import Reply, Request
from proctor.core.entity import Entity
from proctor.core.report import Result
from proctor.core.score import Score
from proctor.core.step import GateStep
from proctor.core.trajectory import Trajectory, Turn
from proctor.core.verdict import Verdict
from proctor.core.world import Snapshot

__all__ = [
    "Attack",
    "Cache",
    "Catalogue",
    "Classifier",
    "Conversation",
    "Embedder",
    "Entailer",
    "FactEntailer",
    "Gate",
    "Grounder",
    "Http",
    "HttpReply",
    "Kit",
    "Ledger",
    "Model",
    "Scorer",
    "Staged",
    "Tagger",
    "Talking",
    "Target",
    "TimeLimited",
    "WordingReader",
    "entailer_for_facts",
    "is_fast",
    "is_optional",
    "is_socket",
    "socket",
]

_SOCKET = "proctor.socket"
_OPTIONAL = "proctor.optional"
_FAST = "proctor.fast"
StepT_contra = TypeVar("StepT_contra", bound=GateStep, contravariant=True)


def socket(*, optional: bool = False, fast: bool = False) -> Any:
    """Declare a field that wiring fills with a live object (a model, an embedder, a catalogue).

    An optional one may stay ``None``. A fast one gets the small local network alone, which set its thresholds.
    """
    if optional:
        return dataclasses.field(default=None, metadata={_SOCKET: True, _OPTIONAL: True}, repr=False, compare=False)
    return dataclasses.field(metadata={_SOCKET: True, _FAST: fast}, repr=False, compare=False)


def is_socket(field: dataclasses.Field[Any]) -> bool:
    """Return whether a field was made with ``socket()``."""
    return bool(field.metadata.get(_SOCKET))


def is_optional(field: dataclasses.Field[Any]) -> bool:
    """Return whether a socket may stay empty."""
    return bool(field.metadata.get(_OPTIONAL))


def is_fast(field: dataclasses.Field[Any]) -> bool:
    """Return whether a socket gets the small local network alone, unless its check names another."""
    return bool(field.metadata.get(_FAST))


@runtime_checkable
class Model(Protocol):
    """A chat model: takes a request, returns a reply or raises a ``ModelError``."""

    @property
    def name(self) -> str:
        """``provider:model``, as shown in reports."""
        ...

    async def complete(self, request: Request) -> Reply:
        """Return the reply to the request."""
        ...


@runtime_checkable
class Conversation(Protocol):
    """One case run on a target turn by turn. Holds the state that the target needs."""

    async def say(self, text: str) -> Turn:
        """Send one user message and return the resulting turn; raise if there is no answer."""
        ...


@runtime_checkable
class Target(Protocol):
    """The system under test."""

    @property
    def name(self) -> str:
        """The name shown in reports."""
        ...

    @property
    def spec(self) -> Mapping[str, Any]:
        """The settings that decide its behaviour, for the run's fingerprint; never a secret."""
        ...

    async def run(self, case: Case, *, sample: int = 0) -> Trajectory:
        """Run the case. Errors are recorded in the trajectory, not raised."""
        ...


@runtime_checkable
class Talking(Protocol):
    """A target that runs turn by turn, so that a guard or an attacker can act between two turns.

    A target without ``begin`` can be guarded only as a whole: before its first turn and after its last.
    """

    def begin(self, case: Case, *, sample: int = 0) -> Conversation:
        """Begin a conversation; the case has the history, the inputs and the page."""
        ...


@runtime_checkable
class TimeLimited(Protocol):
    """A target that puts several conversations to one case and can limit the time of each."""

    def within(self, seconds: float | None) -> Target:
        """Return the same target with this limit for each conversation."""
        ...


@runtime_checkable
class Staged(Protocol):
    """A conversation whose world can be prepared before and observed around it, for attacks.

    What a target cannot do raises a ``TargetError``: an attempt that needs it must not run without it.
    """

    async def plant(self, plant: Plant) -> None:
        """Put a text where the agent may read it; raise a ``ValueError`` or ``KeyError`` for an unknown address."""
        ...

    async def snapshot(self) -> Snapshot | None:
        """Return the state that the agent can change; ``None`` if the target does not show it."""
        ...

    async def new_session(self) -> None:
        """Begin a new session on the same world."""
        ...


@runtime_checkable
class Scorer(Protocol):
    """Scores a trajectory.

    ``threshold`` is the default if a suite sets none; ``None`` means the score is informative only.
    ``primary`` is the setting that ``- contains: text`` fills if no setting is named.
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
    """Decides about a step of a live conversation.

    The guard needs a ``Gate[proctor.guard.step.Step]``. A gate that takes any ``GateStep`` is one too.

    Two attributes are optional, for gates of any package. ``pure = True`` declares that ``check`` is fast plain code
    that never waits: it is called where a step arrives, with no thread and no timeout. A method ``ahead(step)`` of a
    gate at the output is an iterator that prepares tool results while the agent still writes its answer. It runs on a
    background thread and can be stopped at each ``yield``.
    """

    name: ClassVar[str]
    version: ClassVar[str]

    async def check(self, step: StepT_contra) -> Verdict:
        """Return the verdict on one step; raising means the gate is broken, and a broken gate blocks."""
        ...


@runtime_checkable
class Attack(Protocol):
    """A technique of attack: changes the payload of a draft, or how it is delivered.

    A draft needs exactly one that delivers.
    """

    @property
    def name(self) -> str:
        """The name that attempts and reports give it."""
        ...

    @property
    def version(self) -> str:
        """Changes when the same draft comes out differently."""
        ...

    @property
    def delivers(self) -> bool:
        """Whether it puts the payload into the conversation or the place."""
        ...

    def apply(self, draft: AttackDraft, random: Random) -> AttackDraft | None:
        """Return the changed draft, the same for the same random state; ``None`` if it does not fit this draft."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into normalised vectors."""

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return one vector per text."""
        ...


@runtime_checkable
class Classifier(Protocol):
    """Turns texts into probabilities of labels."""

    async def classify(self, texts: Sequence[str]) -> Sequence[Mapping[str, float]]:
        """Return one mapping of label to probability per text."""
        ...


@runtime_checkable
class WordingReader(Protocol):
    """Tells how texts are written: fluent, or broken in some way."""

    async def wording(self, texts: Sequence[str]) -> Sequence[Acceptability]:
        """Return the reading of each text."""
        ...


@runtime_checkable
class Entailer(Protocol):
    """Estimates whether a premise entails a hypothesis."""

    async def entails(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Mapping[str, float]]:
        """Return the probabilities of entailment, neutral and contradiction per (premise, hypothesis)."""
        ...


@runtime_checkable
class FactEntailer(Entailer, Protocol):
    """An entailer with a second one that judges facts better, more slowly, and contradictions in a talk no better."""

    @property
    def for_facts(self) -> Entailer:
        """Return the entailer to ask about facts and claims."""
        ...


def entailer_for_facts(entailer: Entailer) -> Entailer:
    """Return what to ask about facts and claims: the second entailer, or this one if it has no other."""
    return entailer.for_facts if isinstance(entailer, FactEntailer) else entailer


@runtime_checkable
class Grounder(Protocol):
    """Estimates whether a passage supports all claims of a text."""

    async def supports(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        """Return the probability of full support per (passage, text)."""
        ...


@runtime_checkable
class Tagger(Protocol):
    """Finds the names of people, places and organisations, and addresses, in texts."""

    async def entities(self, texts: Sequence[str]) -> Sequence[Sequence[Entity]]:
        """Return the entities of each text, in order, non-overlapping."""
        ...


@runtime_checkable
class Catalogue(Protocol):
    """Current product data; queried each time, never cached."""

    async def find(self, key: str) -> Mapping[str, Any] | None:
        """Return the current product with this id or title."""
        ...


@runtime_checkable
class Cache(Protocol):
    """A cache of replies by the hash of the full request."""

    def get(self, key: str) -> Reply | None:
        """Return the reply stored under this key."""
        ...

    def put(self, key: str, request: Request, reply: Reply, *, model: str) -> None:
        """Store a reply; durable when this returns."""
        ...


@runtime_checkable
class Ledger(Protocol):
    """The durable record of a run: what was stored survives kill -9. Units have an 8-byte key."""

    def finished(self, key: int) -> bool:
        """Return whether the unit already has its result."""
        ...

    def pending(self, key: int) -> Trajectory | None:
        """Return the trajectory of a unit whose scoring is not finished."""
        ...

    def keep_trajectory(self, key: int, *, case: Case, target: str, sample: int, trajectory: Trajectory) -> None:
        """Store the target's trajectory before it is scored."""
        ...

    def keep_result(self, key: int, result: Result) -> None:
        """Store the scores of a unit whose trajectory is stored."""
        ...


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class HttpReply:
    """The reply of an HTTP server; header names are lower-case.

    ``arrivals`` are the parts of a stream: the seconds since the request, and how many bytes had come by then.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    latency: float
    arrivals: tuple[tuple[float, int], ...] = ()


@runtime_checkable
class Http(Protocol):
    """A connection pool shared by a whole run; all network access goes through it."""

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout: float = 60.0,  # noqa: ASYNC109 - the caller passes the timeout
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
    """The arguments of a factory of models or targets: its settings and the services it may use.

    ``settings`` is the mapping from proctor.yaml, without the keys that wiring itself reads. Relative paths in it
    are relative to ``folder``. ``env`` reads one environment variable: secrets come only through it.
    ``cache`` is the user's folder of fetched files.
    """

    name: str
    settings: Mapping[str, Any]
    folder: str
    env: Callable[[str], str | None]
    http: Http
    model: Callable[[str | None], Model]
    cache: str = ""
