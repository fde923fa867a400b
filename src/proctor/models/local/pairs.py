"""Build one line from a passage and a claim; split a long text into claims, so that all of it is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proctor.core.errors import InputError
from proctor.models.local.evidence import sentences
from proctor.models.local.tokenizer import END, START, Line, Pieces

__all__ = ["CLAIM", "LETTERS", "PASSAGE_LETTERS", "Claim", "claims", "flat", "line", "refuse_long"]

CLAIM = 100  # tokens of a claim that are judged at once
LETTERS = 12_000  # of a text that is judged: each claim in it runs the model
PASSAGE_LETTERS = 2_000_000  # of a passage: all of it is searched for evidence


@dataclass(frozen=True, slots=True)
class Claim:
    """A span of a text, as characters and as tokens."""

    text: str
    ids: tuple[int, ...]


def flat(text: str) -> str:
    """Return the text on one line, its whitespace joined."""
    return " ".join(text.split())


def line(passage: Sequence[int], claim: Sequence[int], longest: int) -> Line:
    """Build one input of a network; the passage is truncated if both are too long."""
    tail = claim[: longest // 2 - 1]
    head = passage[: longest - 3 - len(tail)]
    return Line((START, *head, END, *tail, END), len(head) + 2)


def claims(text: str, pieces: Pieces, *, most: int) -> list[Claim]:
    """Split the text into sentences, each a claim; if there are more than ``most``, neighbours are merged.

    A claim has at most ``CLAIM`` tokens, so a long text has more than ``most``: nothing is left unread.
    """
    parts = sentences(flat(text))
    found = [
        Claim(part, tuple(ids[i : i + CLAIM]))
        for part, ids in zip(parts, pieces.numbers(parts), strict=True)
        for i in range(0, len(ids), CLAIM)
    ]
    if len(found) <= most:
        return found
    room = min(CLAIM, -(-sum(len(claim.ids) for claim in found) // most) + 8)  # some slack: sentences differ in length
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
    """Reject texts that could be judged only in part.

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
