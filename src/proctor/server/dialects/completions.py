"""The legacy completions API: where the texts of a request and of an answer stand."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import uuid4

from proctor.server.conversation import Said, digest
from proctor.server.dialects.answer_check import check_texts
from proctor.server.dialects.completions_stream import CompletionsStream, cleaned
from proctor.server.guarded_request import RequestTurn
from proctor.server.wire.sse import encoded
from proctor.server.wire.stream_events import Slot, compact, listed
from proctor.server.wire.text_walk import walk

__all__ = ["Completions"]

_UNREADABLE: Final = ("prompt_embeds", "prompt_token_ids", "input_extra", "images", "multimodal_data")


class Completions:
    """The shape of completions. There are no turns: each request is a conversation of its own, unless it is named."""

    def dialect(self) -> CompletionsStream:
        """A reader for one stream."""
        return CompletionsStream()

    def said(self, body: dict[str, Any]) -> list[Said]:
        """The prompts of a request, with what is to follow the answer.

        Raises:
            ValueError: something cannot be read; says what, as what follows "the body".
        """
        for name in _UNREADABLE:
            if body.get(name) not in (None, [], ""):
                raise ValueError(f"has {name}, which cannot be read; send the prompt as text")
        prompt, slots = body.get("prompt"), []
        if isinstance(prompt, str):
            slots.append(Slot("prompt", body, "prompt"))
        elif isinstance(prompt, list) and all(isinstance(each, str) for each in prompt):
            slots += [Slot("prompt", prompt, place) for place in range(len(prompt))]
        elif prompt is not None:
            raise ValueError("has a prompt that is neither a text nor a list of texts; tokens cannot be read")
        suffix = body.get("suffix")
        if isinstance(suffix, str):
            slots.append(Slot("prompt", body, "suffix"))
        elif suffix is not None:
            raise ValueError("has a suffix that is no text")
        return [Said(kind="user", slots=slots, digest=digest("prompt", prompt, suffix))] if slots else []

    def answered(self, data: Mapping[str, Any]) -> list[bytes]:
        """Nothing: an answer is not repeated."""
        return []

    def streamed(self, said: Mapping[Any, str], calls: Sequence[Any], tail: str) -> list[bytes]:
        """The same."""
        return []

    async def check(self, data: dict[str, Any], turn: RequestTurn) -> bool:
        """Put a whole answer before the gates and take out what must not leave; says whether anything changed."""
        changed, altered = cleaned(data), False
        for choice in listed(data.get("choices")):
            slots = [Slot("text", choice, "text")] if isinstance(choice.get("text"), str) else []
            for each in (slots, list(walk("more", choice, "text", "logprobs"))):
                verdict, other = await check_texts(each, turn)
                if verdict is not None:
                    _replace(choice, turn.reply(verdict))
                    altered = True
                    break
                if other:
                    choice["logprobs"] = None  # they would tell what was taken out
                    altered = True
        verdict, other = await check_texts(list(walk("more", data, "choices", "proctor")), turn, apart="\n")
        if verdict is not None:
            for name in [name for name in data if name not in ("choices", "created")]:
                del data[name]
            for choice in listed(data.get("choices")):
                _replace(choice, turn.reply(verdict))
        altered |= other or verdict is not None
        if altered and (told := turn.told()):
            data["proctor"] = told
        return changed or altered

    def reply(self, body: Mapping[str, Any], text: str, turn: RequestTurn) -> dict[str, Any]:
        """An answer in the API's own shape, from the guard and not from a model."""
        return {
            "id": f"cmpl-proctor-{uuid4().hex}",
            "object": "text_completion",
            "created": int(time.time()),
            "model": str(body.get("model") or ""),
            "choices": [{"index": 0, "text": text, "logprobs": None, "finish_reason": "content_filter"}],
            "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
            "proctor": turn.told() or {},
        }

    def reply_stream(self, body: Mapping[str, Any], text: str, turn: RequestTurn) -> bytes:
        """The same as a stream."""
        return encoded(compact(self.reply(body, text, turn))) + b"data: [DONE]\n\n"


def _replace(choice: dict[str, Any], reply: str) -> None:
    index = choice.get("index")
    choice.clear()
    choice.update(index=index if isinstance(index, int) else 0, text=reply, logprobs=None)
    choice["finish_reason"] = "content_filter"
