"""A translation is believed only in its language, at a fitting length, and when it is not the English again."""

from __future__ import annotations

from pathlib import Path

from training.spoken import SHARES, believable, wanted

from tests.tables import table
from tests.training.conftest import write_rows


@table(
    ("english", "other", "language", "expected"),
    [
        ("Where is my parcel?", "荷物はどこですか？", "ja", True),
        ("Where is my parcel?", "我的包裹在哪里？", "zh", True),
        ("Where is my parcel?", "Wo ist mein Paket?", "de", True),
        ("Where is my parcel?", "أين طردي؟", "ar", True),
        ("Where is my parcel?", "Where is my parcel?", "ja", False),
        ("Where is my parcel?", "where is my parcel?", "de", False),
        ("Where is my parcel?", "", "ja", False),
        ("Where is my parcel?", "荷物は\nどこですか？", "ja", False),
        ("Where is my parcel?", "My parcel ください", "ja", False),
        ("Where is my parcel?", "荷" * 60, "ja", False),
        ("Where is my parcel?", "Ja", "de", False),
        ("", "荷物", "ja", False),
    ],
)
def test_what_is_believed(english: str, other: str, language: str, expected: bool) -> None:
    assert believable(english, other, language) is expected


def test_pairs_are_translated_whole_and_everyday_messages_always(tmp_path: Path) -> None:
    rows = [{"p": f"premise {i}", "h": f"hypothesis {i}", "lang": "en", "src": "nli_snli/train"} for i in range(20)]
    other = [{"p": "前提", "h": "仮説", "lang": "ja", "src": "nli_snli/train"}]
    long = [{"p": "p" * 300, "h": "h", "lang": "en", "src": "nli_snli/train"}]
    elsewhere = [{"p": "x", "h": "y", "lang": "en", "src": "another/train"}]
    write_rows(tmp_path / "nli.jsonl.gz", [*rows, *other, *long, *elsewhere])
    write_rows(tmp_path / "everyday.jsonl.gz", [{"text": "good morning"}])
    found = wanted(tmp_path, 10, None)
    assert set(found) == set(SHARES)
    assert found == wanted(tmp_path, 10, None)
    assert len(found["ja"]) == 2 * 10 + 1
    assert len(found["zh"]) == 2 * 3 + 1
    for texts in found.values():
        assert "good morning" in texts
        assert not {"前提", "h", "x"} & set(texts)
        assert {t.split()[-1] for t in texts if t.startswith("premise")} == {
            t.split()[-1] for t in texts if t.startswith("hypothesis")
        }
