"""Ask an optional writer model for other wordings of an instruction; count and drop refusals and weak wordings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final

from proctor.core.attack import Goal
from proctor.core.chat import Message, Reply, Request
from proctor.core.errors import BudgetError, ModelError, ReplyError
from proctor.core.sockets import Model
from proctor.lexicon.match import matcher
from proctor.redteam.payload_site import MARK
from proctor.text.delimiters import fence
from proctor.text.loose_json import read_json
from proctor.text.normalise import normalise
from proctor.text.prompt_parts import PromptParts, prompt_parts

__all__ = ["WrittenVariants", "weakness_of", "write_variants"]

_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"wordings": {"type": "array", "items": {"type": "string"}}},
    "required": ["wordings"],
    "additionalProperties": False,
}
# Words that a rewording must keep: codes with digits, names with an underscore, quoted words, words in capitals.
_FIXED: Final = re.compile(
    r"[A-Za-z-]*[0-9](?:[A-Za-z0-9.,-]*[A-Za-z0-9])?|[A-Za-z]+(?:_[A-Za-z]+)+|\b[A-Z]{3,}\b"
    r"|(?<=[\"“«「])[^\"”»」]{1,60}(?=[\"”»」])"
)
_LATIN: Final = re.compile("[A-Za-z]")
_SHORTEST, _LONGEST_FACTOR, _LONGEST_MORE = 8, 4, 200  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenVariants:
    """The usable wordings, how many replies or wordings were dropped by reason, and the errors of the model."""

    texts: tuple[str, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    errors: tuple[str, ...] = ()


async def write_variants(
    model: Model, goal: Goal, language: str, *, count: int = 5, draws: int = 2, sample: int = 0
) -> WrittenVariants:
    """Return up to ``count`` other wordings of the goal's instruction in a language, in at most ``draws`` calls.

    A model that refuses, fails or writes nothing usable gives fewer or none; it does not stop a campaign.

    Raises:
        BudgetError: the user's budget is spent.
    """
    instruction = goal.instruction[language]
    texts: list[str] = []
    dropped: Counter[str] = Counter()
    errors: list[str] = []
    for draw in range(draws):
        try:
            reply = await model.complete(_request(instruction, language, count, sample + draw))
        except BudgetError:
            raise
        except ReplyError as error:  # an answer that is no JSON: mostly a refusal in words
            dropped["refused" if _is_refusal(error.raw) else "no list of wordings"] += 1
            continue
        except ModelError as error:
            errors.append(str(error))
            continue
        wordings = _wordings(reply)
        if wordings is None:
            dropped["refused" if _is_refusal(reply.text) else "no list of wordings"] += 1
            continue
        for wording in wordings:
            known = (instruction, *texts)
            if weakness := weakness_of(wording, goal, language, known):
                dropped[weakness] += 1
            else:
                texts.append(" ".join(wording.split()))
        if len(texts) >= count:
            break
    return WrittenVariants(texts=tuple(texts[:count]), dropped=dict(dropped), errors=tuple(errors))


def weakness_of(wording: str, goal: Goal, language: str, known: tuple[str, ...] = ()) -> str:
    """Return why a wording is invalid; empty for a valid one."""
    instruction = goal.instruction[language]
    flat = _flat(wording)
    canaries = [effect.canary for effect in goal.effects if effect.canary]
    fixed = {_flat(word) for word in _FIXED.findall(instruction)}
    checks = (
        ("too short", len(wording.strip()) < _SHORTEST),
        ("too long", len(wording) > _LONGEST_FACTOR * len(instruction) + _LONGEST_MORE),
        ("refused", _is_refusal(wording)),
        ("gives the canary away", any(_flat(canary) in flat for canary in canaries)),
        ("has a mark of ours", MARK in wording),
        ("lost a name or number", any(word not in flat for word in fixed)),
        ("in another script", _mostly_latin(wording) is not _mostly_latin(instruction)),
        ("repeats another one", flat in {_flat(other) for other in known}),
    )
    return next((reason for reason, holds in checks if holds), "")


def _request(instruction: str, language: str, count: int, sample: int) -> Request:
    material, code = fence([("Instruction", instruction)])
    parts = _prompt()
    return Request(
        messages=(
            Message(role="system", content=parts.fill("system", language=language, count=str(count), code=code)),
            Message(role="user", content=parts.fill("user", material=material)),
        ),
        schema=_SCHEMA,
        schema_name="wordings",
        sample=sample,
    )


def _wordings(reply: Reply) -> list[str] | None:
    data = reply.data
    if data is None:
        try:
            data = read_json(reply.text)
        except ValueError:
            return None
    found = data.get("wordings") if isinstance(data, Mapping) else data
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else None


def _is_refusal(text: str) -> bool:
    return matcher("refusal").has(text)


def _mostly_latin(text: str) -> bool:
    letters = [character for character in text if character.isalpha()]
    return 2 * sum(bool(_LATIN.match(letter)) for letter in letters) > len(letters)


def _flat(text: str) -> str:
    return " ".join(normalise(text).plain.casefold().split())


@cache
def _prompt() -> PromptParts:
    return prompt_parts(files("proctor.redteam").joinpath("prompts/write.md").read_text(encoding="utf-8"))
