from __future__ import annotations

import json

from proctor.core.decode import decode
from proctor.core.report import Report, Result
from proctor.report import json_file, jsonl

from .conftest import Run
from .hostile import HOSTILE


def test_document_decodes_to_the_same_nouns(sample: Run) -> None:
    document = json.loads(sample.written(json_file.write))
    assert decode(Report, document["report"]) == sample.report
    assert [decode(Result, each) for each in document["results"]] == list(sample.results())


def test_lines_decode_to_the_same_results(sample: Run) -> None:
    lines = sample.written(jsonl.write).splitlines()
    assert [decode(Result, json.loads(line)) for line in lines] == list(sample.results())


def test_an_empty_run_is_an_empty_list(empty: Run) -> None:
    assert json.loads(empty.written(json_file.write))["results"] == []
    assert empty.written(jsonl.write) == ""


def test_hostile_text_survives_unchanged(hostile: Run) -> None:
    texts = list(HOSTILE.values())
    document = json.loads(hostile.written(json_file.write))
    assert [each["case"]["input"] for each in document["results"]] == texts
    lines = [json.loads(line) for line in hostile.written(jsonl.write).split("\n") if line]
    assert [each["case"]["input"] for each in lines] == texts


def test_both_can_be_written_as_utf8(hostile: Run) -> None:
    assert hostile.written(json_file.write).encode()
    assert hostile.written(jsonl.write).encode()


def test_each_result_says_whether_it_is_in_doubt(doubtful: Run) -> None:
    document = json.loads(doubtful.written(json_file.write))["results"]
    lines = [json.loads(line) for line in doubtful.written(jsonl.write).splitlines()]
    for results in (document, lines):
        assert ["in_doubt" in each for each in results] == [each.in_doubt for each in doubtful.results()]
        assert {(each["outcome"], each["in_doubt"]) for each in results if "in_doubt" in each} == {("pass", True)}
