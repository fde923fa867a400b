"""A prompt as it was written: messages with variables in them, and what its file says about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from proctor.core.chat import Role, Sampling
from proctor.core.codec import content_id

__all__ = ["Prompt", "PromptMessage", "Syntax"]

Syntax = Literal["jinja", "plain"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptMessage:
    """One message of a prompt, its variables not filled in; ``line`` is where it begins in its file."""

    role: Role
    text: str
    line: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt file, or a prompt given as text.

    ``inputs`` has a JSON schema for each variable, first those declared and then the others as they appear; it is
    empty where the prompt has no variable, and free text is all that goes in. ``defaults`` has the values of
    those that have one. ``model`` and ``sampling`` are the author's wish. ``front`` is all
    that the file said beside the messages, known or not; ``warnings`` names what was not understood.
    ``syntax`` is ``plain`` where ``{{name}}`` is replaced and nothing else is special.
    """

    name: str
    messages: tuple[PromptMessage, ...] = ()
    description: str = ""
    inputs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    sample: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    sampling: Sampling = field(default_factory=Sampling)
    schema: Mapping[str, Any] | None = None
    schema_name: str = "answer"
    syntax: Syntax = "jinja"
    front: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    path: str | None = None

    @property
    def text(self) -> str:
        """All that the prompt says, its messages one under the other: what the spans of rules point into."""
        return "\n\n".join(message.text for message in self.messages)

    @property
    def hash(self) -> str:
        """The prompt's identity: a hash of all that decides what is sent."""
        said = [[message.role, message.text] for message in self.messages]
        return content_id([said, self.syntax, self.defaults, self.sampling, self.schema])
