"""Numbers that Python cannot keep or print, and data nested without end, are errors with a file and a line."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tables import table

from proctor.config import load_config, read_environment
from proctor.core.errors import InputError
from proctor.prompts.load import load_prompt
from proctor.suites.load import open_suite

_DIGITS = "9" * 20_000
_NUMBERS = {
    "whole": _DIGITS,
    "negative": f"-{_DIGITS}",
    "with a point": f"{_DIGITS}.5",
    "with an exponent": f"1e{_DIGITS}",
    "hexadecimal": "0x" + "f" * 20_000,
    "octal": "0o" + "7" * 20_000,
    "old octal": "0" + "7" * 20_000,
    "binary": "0b" + "1" * 20_000,
    "with underscores": "9_" * 10_000 + "9",
    "tagged": f'!!int "{_DIGITS}"',
    "tagged and none": "!!int abc",
}


@table("name", list(_NUMBERS))
def test_a_number_in_yaml_is_an_error_with_its_line(tmp_path: Path, name: str) -> None:
    number = _NUMBERS[name]
    suite, prompt, config = tmp_path / "s.yaml", tmp_path / "p.prompty", tmp_path / "proctor.yaml"
    suite.write_text(f"name: s\ncases:\n- id: a\n  input: hi\n  metadata: {{n: {number}}}\n")
    prompt.write_text(f"---\nname: x\nsample: {{n: {number}}}\n---\nuser:\n{{{{n}}}}\n")
    config.write_text(f"run:\n  seed: {number}\n")
    for path, line, read in (
        (suite, 5, lambda: list(open_suite(suite).cases())),
        (prompt, 3, lambda: load_prompt(prompt)),
        (config, 2, lambda: load_config(config, read_environment(tmp_path), start=tmp_path)),
    ):
        with pytest.raises(InputError) as raised:
            read()
        assert f"{path}:{line}" in str(raised.value)
        assert len(str(raised.value)) < 1_000


@pytest.mark.parametrize("number", [_DIGITS, f"1e{_DIGITS}", f"{_DIGITS}.5"])
def test_a_number_in_json_is_an_error_with_its_line(tmp_path: Path, number: str) -> None:
    case = f'{{"id": "a", "input": "hi", "metadata": {{"n": {number}}}}}\n'
    for name, text in {
        "s.json": f'{{"name": "s",\n"cases": [\n{case}]}}',
        "s.jsonl": f'{{"id": "b", "input": "x"}}\n{{"id": "c", "input": "y"}}\n{case}',
    }.items():
        path = tmp_path / name
        path.write_text(text)
        with pytest.raises(InputError, match="too large") as raised:
            list(open_suite(path).cases())
        assert f"{path}:3" in str(raised.value)


@table(
    ("column", "cell"),
    [
        ("__expected", f"word-count: {_DIGITS}"),
        ("__expected", "is-json: " + "[" * 100_000),
        ("__expected", "word-count: " + "[" * 100_000),
        ("__threshold", _DIGITS),
        ("expect.tool_calls", f"[{_DIGITS}]"),
        ("expect.tool_calls", "[" * 100_000),
    ],
)
def test_a_cell_of_a_table_is_an_error_with_its_line(tmp_path: Path, column: str, cell: str) -> None:
    path = tmp_path / "s.csv"
    path.write_text(f'id,input,{column}\nb,hello,\na,hi,"{cell}"\n')
    with pytest.raises(InputError) as raised:
        list(open_suite(path).cases())
    assert f"{path}:3" in str(raised.value)


_BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(9)
)


@table(
    ("name", "text"),
    [
        ("deep.yaml", "cases: " + "[" * 100_000),
        ("steps.yaml", "\n".join(" " * depth + "a:" for depth in range(3_000))),
        ("bomb.yaml", f"{_BOMB}cases: *j\n"),
        ("self.yaml", "cases: &a [*a]\n"),
        ("merge.yaml", "a: &a {<<: *a}\ncases: []\n"),
        ("deep.json", '{"cases": ' + "[" * 100_000),
        ("deep.jsonl", '{"id": "a", "input": "x"}\n{"id": ' + "[" * 100_000 + "\n"),
    ],
)
def test_data_nested_without_end_is_an_error(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError) as raised:
        list(open_suite(path).cases())
    assert str(path) in str(raised.value)


def test_long_numbers_that_can_be_kept_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(f"cases:\n- {{id: a, input: hi, metadata: {{n: {'9' * 300}, x: 0xff, f: 1e300}}}}\n")
    (case,) = open_suite(path).cases()
    assert case.metadata == {"n": int("9" * 300), "x": 255, "f": 1e300}
