from __future__ import annotations

from tests.tables import table

from proctor.text.text_damage import text_damage

WHOLE = [
    "",
    "Sold out. Back 12 May.",
    "Yes, in two sizes",
    "1. Akira, ¥770\n2. Monster, ¥880\n3. Uzumaki, ¥990",
    "Volume 1 costs ¥770. Volume 2 costs ¥770. Volume 3 costs ¥880.",
    "Naïve café, señor; Österreich, Łódź, İstanbul, São Paulo.",
    "在庫あり。明日発送します。",
    "See https://shop.example/returns",
    "Use `a < b` and a > 3.",
]
DAMAGED = [
    ("You can return it. You can return it. You can return it. You can return it.", "loop", 0.8),
    ("Sold out back sold out back sold out back sold out back sold out back", "loop", 0.8),
    ("まとめ買いセットもございます。まとめ買いセットもございます。まとめ買いセットもございます。", "loop", 0.8),
    ("CafÃ© RenÃ©e's tarts cost Â£4.20 each.", "encoding", 0.5),
    ("Tak, sÄ… jeszcze trzy sztuki, kaÅ¼da po 49 zÅ‚.", "encoding", 0.5),
    ("A\ufffd, la b\ufffdci \ufffd\ufffd bella", "encoding", 0.5),
    ("Your refund was sent.<|endoftext|>", "leftover", 0.5),
    ("Your refund of &nbsp;35&euro; was sent.", "leftover", 0.5),
    ("The course costs 240 pounds. You can pay in two parts if you", "cut off", 0.45),
    ("The cake is ready and you can collect it from the", "cut off", 0.5),
    ("초급반은 화요일 저녁 7시에 시작합니다. 교재는 첫 수업에서 나눠 드", "cut off", 0.45),
]


@table("text", WHOLE)
def test_whole_texts_have_no_damage(text: str) -> None:
    assert text_damage(text) == ()


@table(("text", "kind", "least"), DAMAGED)
def test_what_is_broken_is_named(text: str, kind: str, least: float) -> None:
    first = text_damage(text)[0]
    assert first.kind == kind
    assert first.share >= least
    assert first.quote
