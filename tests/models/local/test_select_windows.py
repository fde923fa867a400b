"""What of a long text is read: the telling chunks, and of noise a little; what is left is masked on suspicion."""

import random

from proctor.models.local.entities import LEAST, LocalTagger
from proctor.models.local.injection import NOISE_ROOM as ROOM_FOR_NOISE
from proctor.models.local.injection import InjectionClassifier, _linear, _lines
from proctor.models.local.linear_prefilter import open_prefilter
from proctor.models.local.model_registry import pieces_of
from proctor.models.local.select_windows import NOISE_ROOM, WHOLE, choose

_NOISE = "".join(random.Random(4).choices("0123456789+-(). {}<>~^;", k=1000))
_LETTER = (
    "My name is Annabel Quistgaard and I wrote to you on Monday. " + "The room was fine and the view was good. " * 20
)


def test_of_noise_little_is_read() -> None:
    prefilter = open_prefilter(None)
    assert prefilter is not None
    ((ids, places),) = pieces_of(None).located([_NOISE])
    choice = choose(_NOISE, places, prefilter)
    assert len(ids) > WHOLE
    assert sum(after - first for first, after in choice.runs) <= NOISE_ROOM
    plan = InjectionClassifier()._plan(_NOISE)
    lines, _ = _lines(plan, pieces_of(None), _linear(None))
    assert sum(len(line.ids) for line, _ in lines) <= ROOM_FOR_NOISE


def test_a_name_in_a_long_letter_is_found_and_the_rest_passes() -> None:
    (found,) = LocalTagger().readings([_LETTER])
    assert [each.text for each in found if each.kind == "PERSON"] == ["Annabel Quistgaard"]


def test_a_name_in_noise_that_nobody_reads_is_suspected() -> None:
    text = f"{_NOISE} sent by Annabel Quistgaard {_NOISE[::-1]}"
    (found,) = LocalTagger().readings([text])
    masked = {each.text for each in found if each.kind == "PERSON" and each.score >= LEAST}
    assert any("Annabel" in name for name in masked)
    assert any("Quistgaard" in name for name in masked)
