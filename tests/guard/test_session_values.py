from __future__ import annotations

from proctor.core.trajectory import Source
from proctor.guard.session_values import SessionValues, information, windows
from proctor.guard.step import Step
from tests.guard.gates.staging import done, memory


def held(*, asked: tuple[str, ...] = (), result: object = None) -> SessionValues:
    calls = () if result is None else (done("get", result),)
    source = Source(id="s", text="Ref 58-2201", uri="https://a.example/77310")
    return SessionValues(Step(point="output", sources=(source,), memory=memory(*calls, asked=asked)))


def test_values_are_squeezed_and_short_ones_left_out() -> None:
    found = held(asked=("Order LT-448120, tel. 0555 010 20 30, mail Anna@Berg.example, room 12, in 2024, WPA3",)).values
    assert {"lt448120", "448120", "05550102030", "annabergexample", "582201", "77310"} <= found
    assert found.isdisjoint({"12", "2024", "wpa3"})


def test_fields_are_whole_short_texts_of_records() -> None:
    session = held(result={"name": "Ingrid Berg", "rows": [{"city": "Oslo"}], "note": "long " * 40})
    assert session.fields == {"Ingrid Berg", "Oslo"}
    assert session.field_words == {"ingridberg": 2, "oslo": 1}
    assert held(result='{"name": "Ingrid"}').fields == {"Ingrid"}
    assert held(result="On its way").reports == ("On its way",)


def test_work_ahead_gives_the_same_values() -> None:
    session = held(result={"id": "B-77123"})
    assert len(list(session.prepare())) == 1
    assert "b77123" in session.values


def test_information_grows_with_digits_and_not_with_letters_alone() -> None:
    assert information("kubernetes") == 0
    assert information("wpa3") < 16 < information("zl8830") < information("k9qz4t") < 30 < information("mv12345678")


def test_windows_join_up_to_six_words() -> None:
    assert windows(["a", "b", "c"]) == {"a", "b", "c", "ab", "bc", "abc"}
    assert "abcdefg" not in windows(list("abcdefg"))
