"""JSON that has one reading only."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from proctor.server.wire import strict_json
from proctor.server.wire.strict_json import load_object, read_json, read_object
from tests.tables import table


@table(
    ("text", "words"),
    [
        ('{"a": 1, "b": 2, "a": 3, "c": 4}', "the key 'a' twice"),
        ('[{"content": "hi", "Content": "other"}]', "'content' and 'Content'"),
        ('{"\u212aey": 1, "key": 2}', "differ in case only"),  # the Kelvin sign, which Go reads as k
        ("9" * 5000, "4,300 digits"),
        ('{"n": 1e999}', "too large"),
        ("[" * 300 + "]" * 300, "nested"),
        ("[" * 100_000, "nested"),
        ('{"a":' * 300 + "1" + "}" * 300, "nested"),
    ],
)
def test_what_two_readers_could_read_two_ways_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_json(text)


def test_half_a_character_is_read() -> None:
    assert read_json('"\\ud83d"') == "\ud83d"


class _Key(str):
    """A key that counts how often it is compared or folded."""

    __slots__ = ()
    work = 0

    def __eq__(self, other: object) -> bool:
        _Key.work += 1
        return str.__eq__(self, other)

    def __hash__(self) -> int:
        return str.__hash__(self)

    def casefold(self) -> str:
        _Key.work += 1
        return str.casefold(self)


def test_the_search_for_a_key_that_stands_twice_is_linear() -> None:
    pairs: list[tuple[str, Any]] = [(_Key(f"k{number}"), 1) for number in range(20_000)]
    _Key.work = 0
    with pytest.raises(ValueError, match="twice"):
        strict_json._once([*pairs, (_Key("k19999"), 2)])
    assert _Key.work < 20 * len(pairs)  # the square would be 10,000 times as many


def test_an_object_of_200_000_keys_is_read_to_the_end() -> None:
    whole = json.dumps({f"key-{number}": number for number in range(200_000)})
    with pytest.raises(ValueError, match="'key-199999' twice"):
        read_json(f'{whole[:-1]}, "key-199999": 1}}')
    assert len(read_object(whole)) == 200_000


async def test_a_large_body_is_parsed_off_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []
    once = strict_json._once

    def watched(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        threads.append(threading.current_thread())
        return once(pairs)

    monkeypatch.setattr(strict_json, "_once", watched)
    await load_object(b'{"a": "' + b"x" * 1_000_000 + b'"}')
    await load_object(b'{"a": 1}')
    assert threads[0] is not threading.main_thread()
    assert threads[1] is threading.main_thread()
    with pytest.raises(ValueError, match="twice"):
        await load_object(b'{"a": 1, "a": "' + b"x" * 1_000_000 + b'"}')
