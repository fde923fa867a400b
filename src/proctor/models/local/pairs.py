"""Lays a passage and a claim beside each other as one line; cuts a long text into claims, so that all is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proctor.core.errors import InputError
from proctor.models.local.evidence import sentences
from proctor.models.local.tokenizer import END, START, Line, Pieces

__all__ = ["CLAIM", "LETTERS", "PASSAGE_LETTERS", "Claim", "claims", "flat", "line", "refuse_long"]

CLAIM = 100  # pieces of a claim that are judged at once
LETTERS = 12_000  # of a text that is judged: each claim in it is a reading
PASSAGE_LETTERS = 2_000_000  # of a passage: all of it is searched for what bears on the claim


@dataclass(frozen=True, slots=True)
class Claim:
    """A stretch of a text, as letters and as pieces."""

    text: str
    ids: tuple[int, ...]


def flat(text: str) -> str:
    """The text on one line, its blanks joined."""
    return " ".join(text.split())


def line(passage: Sequence[int], claim: Sequence[int], longest: int) -> Line:
    """One input of a network; the passage gives way when both are too long."""
    tail = claim[: longest // 2 - 1]
    head = passage[: longest - 3 - len(tail)]
    return Line((START, *head, END, *tail, END), len(head) + 2)


def claims(text: str, pieces: Pieces, *, most: int) -> list[Claim]:
    """The sentences of the text, each a claim; where there are more than ``most``, neighbours are taken together.

    No claim has more than ``CLAIM`` pieces, so a long text has more than ``most``: nothing is left unread.
    """
    parts = sentences(flat(text))
    found = [
        Claim(part, tuple(ids[i : i + CLAIM]))
        for part, ids in zip(parts, pieces.numbers(parts), strict=True)
        for i in range(0, len(ids), CLAIM)
    ]
    if len(found) <= most:
        return found
    room = min(CLAIM, -(-sum(len(claim.ids) for claim in found) // most) + 8)  # a little air: sentences are not equal
    return list(_joined(found, room))


def _joined(found: Sequence[Claim], room: int) -> Iterator[Claim]:
    group = found[0]
    for claim in found[1:]:
        if len(group.ids) + len(claim.ids) > room:
            yield group
            group = claim
        else:
            group = Claim(f"{group.text} {claim.text}", group.ids + claim.ids)
    yield group


def refuse_long(pairs: Sequence[tuple[str, str]]) -> None:
    """Refuse what could be judged only in part.

    Raises:
        InputError: a passage or a text is too long.
    """
    for passage, text in pairs:
        if len(text) > LETTERS:
            raise InputError(
                f"a text of {len(text)} characters is too long to be judged against a passage; at most {LETTERS}",
                hint="split the text",
            )
        if len(passage) > PASSAGE_LETTERS:
            raise InputError(
                f"a passage of {len(passage)} characters is too long to be searched; at most {PASSAGE_LETTERS}",
                hint="split the passage",
            )
