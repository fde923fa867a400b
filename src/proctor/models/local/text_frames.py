"""Write texts, pairs of texts and turns as lines of tokens for the networks that are made from a language model.

What stands around a text tells the network which question it is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

__all__ = ["PAIR_TOKENS", "Frame", "Role", "TextFrames"]

Frame = Literal["user", "document", "answer"]
Role = Literal["agent", "customer"]
Line = tuple[int, ...]

FRAMES: Final[dict[Frame, tuple[tuple[str, ...], str]]] = {
    "user": (("Message: ",), "\nJudge:"),
    "document": (("Document: ",), "\nOrders:"),
    "answer": (("Customer: ", "\nAgent: "), "\nGrants:"),  # what the customer said is left out
}
PAIR: Final = ("Premise: ", "\nHypothesis: ", "\nAnswer:")
TURNS: Final[dict[Role, tuple[str, str, str]]] = {
    "agent": ("Customer: ", "\nAgent: ", "\nActs:"),
    "customer": ("Agent: ", "\nCustomer: ", "\nActs:"),
}
PAIR_TOKENS: Final = 320  # of a line with two texts, in training
READ: Final = 4_000  # characters of one text


class TextFrames:
    """The frames, in the tokens of one tokenizer."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._frames = {
            name: (tuple(each for part in first for each in self.numbers(part)), self.numbers(last))
            for name, (first, last) in FRAMES.items()
        }
        self._pair = tuple(map(self.numbers, PAIR))
        self._turns = {role: tuple(map(self.numbers, around)) for role, around in TURNS.items()}

    def numbers(self, text: str) -> Line:
        """Return the tokens of the beginning of a text."""
        plain = text[:READ].encode("utf-8", "replace").decode()
        return tuple(self._tokenizer.encode(plain, add_special_tokens=False).ids)

    def alone(self, text: str, frame: Frame, longest: int) -> Line:
        """Return the line of a message, a document or an answer of an agent; a long text loses its end."""
        first, last = self._frames[frame]
        return (*first, *self.numbers(text)[: longest - len(first) - len(last)], *last)

    def pair(self, premise: str, hypothesis: str, longest: int) -> Line:
        """Return the line of a premise with its hypothesis; the premise gives way when both are too long."""
        return self._both(premise, hypothesis, self._pair, longest)

    def turn(self, before: str, text: str, role: Role, longest: int) -> Line:
        """Return the line of a turn of that role after the turn before it, which gives way."""
        return self._both(before, text, self._turns[role], longest)

    def _both(self, one: str, two: str, around: Sequence[Line], longest: int) -> Line:
        first, second, last = around
        room = longest - len(first) - len(second) - len(last)
        tail = self.numbers(two)[: room // 2]
        return (*first, *self.numbers(one)[: room - len(tail)], *second, *tail, *last)
