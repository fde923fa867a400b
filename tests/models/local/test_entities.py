"""Names are found where they stand, whatever the script, the length and the tags' mistakes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from proctor.core.entity import Entity
from proctor.core.errors import InputError
from proctor.models.local import reader as room
from proctor.models.local.entities import LocalTagger
from proctor.models.local.reader import LETTERS, LONGEST
from proctor.models.local.spans import TAGS, trim
from proctor.models.local.tokenizer import BLANK, END, PAD, START, Line, Pieces, case_types
from tests.tables import table

WORDS = ("jane", "doe", "lives", "in", "leeds", "acme", "inc", "田中", "さん", "東京", "株", "ヤマダ", "oslo", "é")
LETTERS_ONE_BY_ONE = "abcdefghijklmnopqrstuvwxyz0123456789.,!?()'-ーは。ヤ\u3099か👍é\u0301"


@pytest.fixture(scope="module")
def pieces() -> Pieces:
    vocabulary = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), (BLANK, -3.0)]
    vocabulary += [(BLANK + word, -1.0) for word in WORDS] + [(word, -2.0) for word in WORDS if word != "é"]
    vocabulary += [(letter, -9.0) for letter in dict.fromkeys(LETTERS_ONE_BY_ONE)]
    tokenizer = Tokenizer(models.Unigram(vocabulary, 3, False))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    size = len(vocabulary)
    return Pieces(tokenizer, np.zeros((size, 2), np.int8), np.ones((size, 1), np.float32))


class Fake:
    """Gives each piece the tag that a rule says, with logit 4, and remembers what it was asked."""

    def __init__(self, pieces: Pieces, rule: Callable[[str, int], str]) -> None:
        self.pieces, self.rule, self.lines = pieces, rule, list[Line]()

    def run(self, lines: Sequence[Line]) -> list[tuple[np.ndarray[Any, Any], ...]]:
        self.lines += lines
        found: list[tuple[np.ndarray[Any, Any], ...]] = []
        for line in lines:
            logits = np.zeros((len(line.ids) + 3, len(TAGS)), np.float32)  # longer than the line: padded
            for i, token in enumerate(self.pieces.tokens(line.ids)):
                logits[i, TAGS.index(self.rule(token.strip(BLANK), i))] = 4
            found.append((np.zeros(5, np.float32), logits))
        return found


def read(texts: Sequence[str], pieces: Pieces, network: Fake) -> list[tuple[Entity, ...]]:
    return [found.entities for found in room.read(texts, pieces, network)]


def plain(tags: dict[str, str]) -> Callable[[str, int], str]:
    return lambda token, _: tags.get(token, "O")


def brief(found: Sequence[Entity]) -> list[tuple[str, str]]:
    return [(entity.text, entity.kind) for entity in found]


def test_spans_carry_their_place_kind_and_score(pieces: Pieces) -> None:
    text = "Jane  Doe lives in Leeds."
    network = Fake(pieces, plain({"jane": "B-PERSON", "doe": "I-PERSON", "leeds": "B-PLACE"}))
    ((person, place),) = read([text], pieces, network)
    assert (person.start, person.end, person.kind, person.text) == (0, 9, "PERSON", "Jane  Doe")
    assert text[place.start : place.end] == place.text == "Leeds"
    assert person.score == pytest.approx((np.exp(4) + 1) / (np.exp(4) + 8), abs=1e-5)


def test_case_travels_as_types(pieces: Pieces) -> None:
    network = Fake(pieces, plain({}))
    read(["Jane doe LEEDS"], pieces, network)
    (line,) = network.lines
    assert line.ids[0] == START
    assert line.ids[-1] == END
    assert line.types == (0, 1, 0, 1, 0)
    assert pieces.feed([line])["types"].tolist() == [[0, 1, 0, 1, 0]]


def test_a_pair_still_has_its_second_part(pieces: Pieces) -> None:
    fed = pieces.feed([Line((0, 5, 2, 6, 2), 3), Line((0, 5, 2))])
    assert fed["types"].tolist() == [[0, 0, 0, 1, 1], [0, 0, 0, 0, 0]]
    assert fed["mask"][1].tolist() == [1, 1, 1, 0, 0]
    assert PAD == 1


@table(
    ("tags", "wanted"),
    [
        ({"jane": "I-PERSON", "doe": "I-PERSON"}, [("Jane Doe", "PERSON")]),  # no B
        ({"jane": "B-PERSON", "doe": "I-PLACE"}, [("Jane", "PERSON"), ("Doe", "PLACE")]),  # another kind goes on
        ({"jane": "B-PERSON", "doe": "B-PERSON"}, [("Jane", "PERSON"), ("Doe", "PERSON")]),
        ({"jane": "B-PERSON", "leeds": "I-PLACE"}, [("Jane", "PERSON"), ("Leeds", "PLACE")]),
        ({".": "B-ORG"}, []),
    ],
)
def test_broken_tags_are_read_kindly(pieces: Pieces, tags: dict[str, str], wanted: list[tuple[str, str]]) -> None:
    assert brief(read(["Jane Doe lives in Leeds."], pieces, Fake(pieces, plain(tags)))[0]) == wanted


def test_a_word_of_several_pieces_has_one_kind(pieces: Pieces) -> None:
    tags = {"jane": "B-PERSON", "t": "I-PERSON", "x": "O"}
    assert brief(read(["Janettx lives"], pieces, Fake(pieces, plain(tags)))[0]) == [("Janettx", "PERSON")]


def test_japanese_has_no_blanks_and_is_cut_at_the_piece(pieces: Pieces) -> None:
    tags = {"田中": "B-PERSON", "東京": "B-PLACE", "株": "B-ORG", "(": "B-ORG", ")": "I-ORG", "ヤマダ": "I-ORG"}
    tags["株"] = "I-ORG"
    found = read(["田中さんは東京。㈱ヤマダ"], pieces, Fake(pieces, plain(tags)))[0]
    assert brief(found) == [("田中", "PERSON"), ("東京", "PLACE"), ("㈱ヤマダ", "ORG")]


def test_places_are_those_of_the_text_as_given(pieces: Pieces) -> None:
    text = "\ud800か\u3099 👍 Ｊａｎｅ E\u0301　東京"
    ((ids, places),) = pieces.located([text])
    assert ids == pieces.numbers([text])[0]
    seen = [text[start:end] for start, end in places if start < end]
    assert {"👍", "Ｊａｎｅ", "E\u0301", "東京"} <= set(seen)
    types = case_types(places, text)
    assert types[[text[a:b] for a, b in places].index("Ｊａｎｅ")] == 1
    assert sum(types) == 2


def test_long_texts_are_read_whole_and_names_on_a_cut_stay_whole(pieces: Pieces) -> None:
    text = " ".join(["in"] * (LONGEST - 3) + ["Jane Doe"] + ["in"] * 300 + ["Leeds"])

    def rule(token: str, i: int) -> str:  # at the edge of a window the fake is wrong, as real networks are
        return "O" if not 4 < i < LONGEST - 4 and token != "leeds" else tags.get(token, "O")

    tags = {"jane": "B-PERSON", "doe": "I-PERSON", "leeds": "B-PLACE"}
    network = Fake(pieces, rule)
    assert brief(read([text], pieces, network)[0]) == [("Jane Doe", "PERSON"), ("Leeds", "PLACE")]
    assert max(len(line.ids) for line in network.lines) <= LONGEST
    far = "lives. " * 9000 + "Jane"
    ((found,),) = read([far], pieces, Fake(pieces, plain(tags)))
    assert far[found.start : found.end] == "Jane"


@table("text", ["", " \n\t", "👍👍", "\ud800\udc00", "\x00\x01", "\u0301" * 50, "?!", "שלום مرحبا"])
def test_odd_texts_have_an_answer(pieces: Pieces, text: str) -> None:
    found = read([text], pieces, Fake(pieces, lambda _token, _i: "B-PERSON"))[0]
    assert all(0 <= e.start < e.end <= len(text) and text[e.start : e.end] == e.text for e in found)


@table(
    ("text", "wanted"),
    [
        (" Jane, ", "Jane"),
        ("Acme Inc.", "Acme Inc."),
        ("Leeds!).", "Leeds"),
        ("(株)ヤマダ", "(株)ヤマダ"),
        ("ヤマダ（株）。", "ヤマダ（株）"),
        ("(Jane", "Jane"),
        ("「東京」", "東京"),
        ("〒150-0001", "〒150-0001"),
        ("#17, 3rd Cross", "#17, 3rd Cross"),
        ("...", ""),
    ],
)
def test_ends_are_trimmed(text: str, wanted: str) -> None:
    start, end = trim(text, 0, len(text))
    assert text[start:end] == wanted


async def test_the_tagger_answers_in_order_and_refuses_what_it_would_not_read(
    pieces: Pieces, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = Fake(pieces, plain({"jane": "B-PERSON"}))
    monkeypatch.setattr(room, "pieces_of", lambda _folder: pieces)
    monkeypatch.setattr(room, "network_of", lambda name, _folder, _threads: {"reader": network}[name])
    monkeypatch.setattr("proctor.models.local.entities.reader_of", lambda *_: room.LocalReader(glance=False))
    tagger = LocalTagger()
    found = await tagger.entities(["Leeds", "Jane", "", "Jane"])
    assert [brief(some) for some in found] == [[], [("Jane", "PERSON")], [], [("Jane", "PERSON")]]
    assert await tagger.entities([]) == []
    with pytest.raises(InputError):
        await tagger.entities(["a" * (LETTERS + 1)])


async def test_a_single_letter_is_nobodys_name() -> None:
    for text in ("thanks, and A-18?", "thanks, and B 204?"):
        (found,) = await LocalTagger(glance=False).entities([text])
        assert [each.text for each in found if each.kind == "PERSON"] == []
