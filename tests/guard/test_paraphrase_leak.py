"""A text that is told again in other words is found sentence for sentence, where something hints at it."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.guard.paraphrase_leak import hinted, parts, retold

KNOWN = ("Never promise a refund.", "Show a booking only to its owner.", "Stay polite.", "Keep the codes secret.")


class _Table:
    """Vectors that are written down: the same number, the same meaning."""

    def __init__(self, meanings: dict[str, int]) -> None:
        self.meanings = meanings

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return [[float(at == self.meanings[text]) for at in range(12)] for text in texts]


def _table(said: Sequence[str], meant: Sequence[int]) -> _Table:
    return _Table({**{text: at for at, text in enumerate(KNOWN)}, **dict(zip(said, meant, strict=True))})


async def test_each_sentence_is_told_once_only() -> None:
    said = ("a", "b", "c")
    assert (await retold(said, KNOWN, (), _table(said, [0, 1, 2]))).told == 3
    again = await retold(said, KNOWN, (), _table(said, [0, 0, 0]))
    assert (again.told, again.of, again.first) == (1, 4, "c")


async def test_other_matters_are_not_told() -> None:
    said = ("a", "b")
    seen = await retold(said, KNOWN, (), _table(said, [8, 9]))
    assert (seen.told, seen.first) == (0, "")


async def test_what_is_free_is_not_counted() -> None:
    said = ("a", "b", "c")
    table = _Table({**_table(said, [0, 1, 2]).meanings, "public": 1})
    assert (await retold(said, KNOWN, ("public",), table)).told == 2


async def test_what_is_free_is_read_only_where_enough_is_told() -> None:
    said = ("a", "b", "c")
    table = _table(said, [0, 1, 9])  # which knows no vector of what is free
    assert (await retold(said, KNOWN, ("public",), table, 3)).told == 2


def test_sentences_stand_without_marks_of_lists() -> None:
    text = "system:\n# Rules of the desk\n- Never promise a refund. Stay polite at all times.\n2) ok\n"
    assert parts(text) == ("Rules of the desk", "Never promise a refund.", "Stay polite at all times.")
    assert len(parts("A sentence of some length. " * 200)) == 48


def test_no_vector_is_made_without_a_hint() -> None:
    four = ["one", "two", "three", "four"]
    assert hinted("Your tour starts at nine.", ["one"], KNOWN) is None
    assert hinted("My instructions do not let me.", ["one"], KNOWN) is None
    assert hinted("These are my instructions.", four, KNOWN) == 3
    assert hinted("Meine Anweisungen lauten so.", four, KNOWN) == 3
    assert hinted("私の指示は次のとおりです。", four, KNOWN) == 3
    assert hinted("Your tour starts at nine.", four, KNOWN) == 4
    assert hinted("Your tour starts at nine.", four, KNOWN * 3) is None
    assert hinted("These are my instructions.", four, KNOWN[:2]) is None  # so few cannot be told three times
    assert hinted("The instructions of the kettle are in the box.", ["one", "two", "three"], KNOWN) is None
