"""A record behaves as the data class of the standard library with the same body."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, InitVar, field
from typing import Any, ClassVar

import pytest

from proctor.core import record
from tests.tables import table

OPTIONS = {"frozen": True, "slots": True, "kw_only": True}
Decorator = Callable[..., Any]


def _plain(dataclass: Decorator) -> Any:
    @dataclass(**OPTIONS)
    class Plain:
        """Some of every kind of field."""

        kind: ClassVar[str] = "plain"
        needed: int
        given: str = "x"
        listed: list[int] = field(default_factory=list, hash=False)
        hidden: int = field(default=3, repr=False)
        aside: int = field(default=4, compare=False)
        made: int = field(default=5, init=False)
        built: tuple[int, ...] = field(default_factory=lambda: (1,), init=False)

        @property
        def twice(self) -> int:
            return self.needed * 2

    return Plain


def _empty(dataclass: Decorator) -> Any:
    @dataclass(**OPTIONS)
    class Empty:
        """No fields."""

    return Empty


def _single(dataclass: Decorator) -> Any:
    @dataclass(**OPTIONS)
    class Single:
        """One field, checked, and an own text."""

        needed: float

        def __post_init__(self) -> None:
            if self.needed == -1:
                raise ValueError("minus one")

        def __repr__(self) -> str:
            return "own"

    return Single


def _own(dataclass: Decorator) -> Any:
    @dataclass(**OPTIONS)
    class Own:  # noqa: PLW1641 - the decorator adds the hash
        """An own comparison."""

        needed: int

        def __eq__(self, other: object) -> bool:
            return True

    return Own


def _hashed(dataclass: Decorator) -> Any:
    @dataclass(**OPTIONS)
    class Hashed:
        """An own hash."""

        needed: int

        def __hash__(self) -> int:
            return 7

    return Hashed


def _unhashable(dataclass: Decorator) -> Any:
    @dataclass(**OPTIONS)
    class Unhashable:
        """No hash."""

        needed: int
        __hash__: ClassVar[None] = None  # type: ignore[assignment]

    return Unhashable


SHAPES = {shape.__name__: shape for shape in (_plain, _empty, _single, _own, _hashed, _unhashable)}
NAN = float("nan")


def _told(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except Exception as error:
        return type(error), str(error)


def _facts(cls: Any) -> dict[str, Any]:
    """What can be seen of a class and its instances."""
    values: dict[str, Any] = {} if cls.__name__ == "Empty" else {"needed": 2}
    one, same, other = cls(**values), cls(**values), cls(**({"needed": NAN} if values else {}))
    return {
        "signature": str(inspect.signature(cls)),
        "fields": [(each.name, each.type, each.init, each.kw_only) for each in dataclasses.fields(cls)],
        "params": str(cls.__dataclass_params__),
        "slots": cls.__slots__,
        "match": cls.__match_args__,
        "doc": cls.__doc__,
        "names": (cls.__init__.__qualname__, cls.__init__.__module__, cls.__qualname__),
        "repr": repr(one).replace(repr(NAN), ""),
        "equal": (one == same, one == other, other == copy.copy(other), one == 3, one != same),
        "hash": _told(lambda: hash(one) == hash(same)),
        "hash of values": _told(lambda: hash(one)),
        "as dict": dataclasses.asdict(one),
        "replaced": _told(lambda: repr(dataclasses.replace(one, **values))),
        "copied": copy.deepcopy(one) == one,
        "state": _told(one.__getstate__),
        "missing": _told(cls)[:1] if values else None,
        "unknown": _told(lambda: cls(**values, unknown=1)),
        "positional": _told(lambda: cls(2)),
        "checked": _told(lambda: repr(cls(needed=-1))),
        "set": _told(lambda: setattr(one, "needed", 3)) if values else None,
        "deleted": _told(lambda: delattr(one, "needed")) if values else None,
    }


@table("shape", SHAPES)
def test_it_is_as_in_the_standard_library(shape: str) -> None:
    ours, theirs = (_facts(SHAPES[shape](each.dataclass)) for each in (record, dataclasses))
    assert ours == theirs


@record.dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A record that can be pickled by name."""

    name: str
    parts: tuple[int, ...] = ()


def test_it_is_pickled_and_frozen() -> None:
    kept = Kept(name="a", parts=(1, 2))
    assert pickle.loads(pickle.dumps(kept)) == kept
    for name in ("name", "unknown"):
        with pytest.raises(FrozenInstanceError):
            setattr(kept, name, "b")
    with pytest.raises(FrozenInstanceError):
        del kept.name
    assert kept == Kept(name="a", parts=(1, 2))
    assert len({kept, Kept(name="a", parts=(1, 2)), Kept(name="a")}) == 2


def test_a_record_inside_itself_is_printed() -> None:
    @record.dataclass(frozen=True, slots=True, kw_only=True)
    class Ring:
        """Holds a list."""

        items: list[Any] = field(default_factory=list)

    ring = Ring()
    ring.items.append(ring)
    assert repr(ring).endswith("Ring(items=[...])")


def test_subclasses_and_other_kinds_are_those_of_the_standard_library() -> None:
    @dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
    class Theirs(Kept):
        """A standard data class on a record."""

        more: int = 1

    @record.dataclass(frozen=True, slots=True, kw_only=True)
    class Ours(Kept):
        """A record on a record."""

        more: int = 1

    @record.dataclass(slots=True)
    class Mutable:
        """Another kind."""

        value: int

    @record.dataclass(frozen=True, slots=True, kw_only=True)
    class Initialised:
        """A value only for the initialiser."""

        given: InitVar[int]
        value: int = field(init=False, default=0)

        def __post_init__(self, given: int) -> None:
            object.__setattr__(self, "value", given * 2)

    assert repr(Theirs(name="a")).endswith("Theirs(name='a', parts=(), more=1)")
    assert repr(Ours(name="a")).endswith("Ours(name='a', parts=(), more=1)")
    with pytest.raises(FrozenInstanceError):
        Ours(name="a").name = "b"  # type: ignore[misc]
    mutable = Mutable(1)
    mutable.value = 2
    assert mutable == Mutable(2)
    assert Initialised(given=2).value == 4


def test_what_a_subclass_without_slots_adds_can_be_set() -> None:
    class Loose(Kept):
        pass

    loose = Loose(name="a")
    loose.added = 1  # type: ignore[attr-defined]
    del loose.added  # type: ignore[attr-defined]
    with pytest.raises(FrozenInstanceError):
        loose.name = "b"  # type: ignore[misc]
