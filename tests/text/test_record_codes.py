from __future__ import annotations

from tests.tables import table

from proctor.text.record_codes import is_inside_code, without_codes


@table(
    ("text", "rest"),
    [
        ("Show TRV-10021", "Show"),
        ("PNR X4K9QZ", "PNR"),
        ("réf. 88-412-B", "réf."),
        ("LT-1007を見せて", "を見せて"),
        ("#48213 status", "status"),
        ("no code here", "no code here"),
        ("well-known words", "well-known words"),
        ("", ""),
    ],
)
def test_codes_are_taken_out(text: str, rest: str) -> None:
    assert " ".join(without_codes(text).split()) == rest


def test_a_part_of_a_code_is_inside_it_and_the_whole_is_not() -> None:
    assert is_inside_code("TRV512315", 4, 9)
    assert not is_inside_code("打12315投诉", 1, 6)
    assert not is_inside_code("lawyer LT-1", 0, 6)
