"""Return JSON answers that match the schema: validated, repaired once, sampled again, or rejected with the raw text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from proctor.core.chat import Message, Reply, Request, Usage
from proctor.core.codec import dumps
from proctor.core.errors import InputError, ReplyError
from proctor.core.sockets import Model
from proctor.models.schema_memo import Memo
from proctor.text.json_schemas import SchemaCheck, SchemaLimitError
from proctor.text.loose_json import NotJsonError, candidates
from proctor.text.prune_json import prune, without_lengths

if TYPE_CHECKING:
    import jsonschema_rs

__all__ = ["Structured"]

_MAX_CACHED_SCHEMAS = 128
_MAX_PROBLEMS = 5
_MAX_PROBLEM_CHARS = 200
_RAW_CHARACTERS = 20_000
# A new sample must not share a cache entry with the first, nor with another sample of the same request.
_FRESH_SAMPLES_FROM = 1_000_000
_STOP_REASONS = {
    "length": "the answer was cut off at the token limit",
    "refusal": "the model refused to answer",
    "content_filter": "the provider's content filter stopped the answer",
}
_CUT_CHARACTERS = 600  # of an answer that was cut off, shown to the model again: more would continue its loop
_BE_BRIEF = "An earlier answer was too long and was cut off. Answer briefly, and do not repeat yourself."
_NOT_JSON = "it is not JSON"
# The same in a few words, for lists of causes.
_CAUSES = {"length": "cut at length", "refusal": "refused", "content_filter": "content filter"}
_NOT_REPAIRABLE = frozenset({"refusal", "content_filter"})


@dataclass(frozen=True, slots=True)
class Structured:
    """Ensures that a request with a schema gets JSON valid against it.

    The answer is parsed leniently and validated. An invalid answer is retried with the validation errors
    (``repairs`` times), then a new answer is sampled (``fresh`` times). If all fail, a ``ReplyError`` keeps the
    raw text. A request without a schema passes through, and so does an answer that calls tools instead.

    ``lenient`` is for our own questions to judges and generators: keys and items beyond the schema are dropped, and a
    text longer than its limit is taken, because the rest of the answer is still what was asked for.

    How JSON is *requested* is not decided here: each provider class uses the provider's native mode, or without
    one (``structured: prompt``) adds the instruction with the schema to the messages.
    """

    model: Model
    repairs: int = field(default=1, kw_only=True)
    fresh: int = field(default=1, kw_only=True)
    lenient: bool = field(default=False, kw_only=True)

    @property
    def name(self) -> str:
        """The wrapped model's name."""
        return self.model.name

    @property
    def spec(self) -> Mapping[str, Any]:
        """The settings that decide the wrapped model's answers."""
        spec: Mapping[str, Any] = getattr(self.model, "spec", {"name": self.model.name})
        return spec

    async def complete(self, request: Request) -> Reply:
        """Return the reply to the request, with the JSON in ``data`` if it has a schema.

        Raises:
            InputError: the schema itself is invalid.
            ReplyError: no answer was valid; ``raw`` is the last one.
        """
        if request.schema is None:
            return await self.model.complete(request)
        check = (_LENIENT_CHECKS if self.lenient else _CHECKS)(request.schema)
        kept = request.schema if self.lenient else None
        replies: list[Reply] = []
        problems: list[str] = []
        for draw in range(1 + self.fresh):
            asking = _fresh(request, draw, replies) if draw else request
            for _ in range(1 + (self.repairs if draw == 0 else 0)):
                reply = await self.model.complete(asking)
                replies.append(reply)
                data, problems = _read(reply, check, kept)
                if not problems or reply.tool_calls:
                    return _together(replies, data)
                if reply.finish in _NOT_REPAIRABLE or not reply.text.strip():
                    break
                asking = _repair(asking, reply, problems)
        raise _unusable(self.name, replies, problems)


@lru_cache(maxsize=_MAX_CACHED_SCHEMAS)
def _validator(schema: bytes) -> SchemaCheck:
    """Compile the schema, once per content."""
    try:
        return SchemaCheck(schema)
    except (ValueError, RecursionError) as error:
        message = str(error).partition("\n")[0]
        hint = "fix the schema; a $ref must point into the schema itself"
        raise InputError(
            f"the JSON schema is wrong: {message[:_MAX_PROBLEM_CHARS]}", field="schema", hint=hint
        ) from None


def _read(reply: Reply, check: SchemaCheck, kept: Mapping[str, Any] | None) -> tuple[Any, list[str]]:
    """Return the first valid reading of the reply, or the problems of the likeliest one.

    With ``kept``, only what that schema names is read.
    """
    try:
        # A truncated reply may lack more than its closing brackets.
        values = candidates(reply.text, close=reply.finish != "length") if reply.data is None else [reply.data]
    except NotJsonError as error:
        return None, [f"{_NOT_JSON}: {error}"]
    first: list[str] = []
    for value in values if kept is None else [prune(value, kept) for value in values]:
        problems = _problems(value, check)
        if not problems:
            return value, []
        first = first or problems
    return None, first


def _problems(value: Any, check: SchemaCheck) -> list[str]:
    try:
        if check.is_valid(value):
            return []
        return [_problem(error) for error in islice(check.iter_errors(value), _MAX_PROBLEMS)]
    except SchemaLimitError as error:
        return [str(error)]
    except (ValueError, RecursionError):  # half a surrogate pair, which the validator rejects as text
        return ["it holds characters that are not valid Unicode"]


def _problem(error: jsonschema_rs.ValidationError) -> str:
    where = "".join(f"[{step!r}]" for step in error.instance_path)
    what = error.message if len(error.message) <= _MAX_PROBLEM_CHARS else error.message[:_MAX_PROBLEM_CHARS] + "…"
    return f"at {where}: {what}" if where else what


def _fresh(request: Request, draw: int, replies: list[Reply]) -> Request:
    """Return the request for a new sample; after an answer that was cut off, with the request to be brief.

    A model without randomness, such as a local one at temperature 0, would fall into the same loop again.
    """
    asking = replace(request, sample=request.sample + draw * _FRESH_SAMPLES_FROM)
    if not replies or replies[-1].finish != "length":
        return asking
    return replace(asking, messages=(*asking.messages, Message(role="user", content=_BE_BRIEF)))


def _repair(asked: Request, reply: Reply, problems: list[str]) -> Request:
    """Return the request with the failed answer and its problems appended; of a long cut answer only the beginning."""
    wrong = [_STOP_REASONS["length"] + ": answer more briefly"] if reply.finish == "length" else []
    complaint = (
        "Your answer cannot be used:\n"
        + "\n".join(f"- {problem}" for problem in [*wrong, *problems])
        + "\nGive the whole answer again, as JSON only, valid against the schema."
    )
    text = reply.text[:_CUT_CHARACTERS] if reply.finish == "length" else reply.text
    said = (Message(role="assistant", content=text), Message(role="user", content=complaint))
    return replace(asked, messages=(*asked.messages, *said))


def _together(replies: list[Reply], data: Any) -> Reply:
    """Return the last reply, with the usage of all of them."""
    last = replies[-1]
    if len(replies) == 1:
        return replace(last, data=data)
    costs = [reply.cost for reply in replies if reply.cost is not None]
    return replace(
        last,
        data=data,
        usage=sum((reply.usage for reply in replies), Usage()),
        cost=sum(costs) if len(costs) == len(replies) else None,
        attempts=sum(reply.attempts for reply in replies),
        latency=sum(reply.latency for reply in replies),
        cached=all(reply.cached for reply in replies),
    )


def _unusable(name: str, replies: list[Reply], problems: list[str]) -> ReplyError:
    last = replies[-1]
    stopped = [_STOP_REASONS[last.finish]] if last.finish in _STOP_REASONS else []
    wrong = "; ".join([*stopped, *problems])
    hint = (
        "raise `max_tokens`"
        if last.finish == "length"
        else "see the raw answer; a stronger model may follow the schema"
    )
    error = ReplyError(f"{name}: no valid JSON in {len(replies)} answer{'s' * (len(replies) > 1)}: {wrong}", hint=hint)
    error.raw = last.text[:_RAW_CHARACTERS]
    not_json = any(problem.startswith(_NOT_JSON) for problem in problems)
    error.cause = _CAUSES.get(last.finish) or ("not JSON" if not_json else "not the requested JSON")
    return error


def _compiled(schema: Mapping[str, Any]) -> SchemaCheck:
    return _validator(dumps(schema))


def _compiled_leniently(schema: Mapping[str, Any]) -> SchemaCheck:
    return _validator(dumps(without_lengths(schema)))


_CHECKS = Memo(_compiled)
_LENIENT_CHECKS = Memo(_compiled_leniently)
