"""A prompt as written: messages with variables, and the settings of its file."""

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
    """One message of a prompt before rendering; ``line`` is where it begins in its file."""

    role: Role
    text: str
    line: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt file, or a prompt given as text.

    ``inputs`` has a JSON schema for each variable, first those declared and then the others as they appear; it is
    empty if the prompt has no variable and takes only free text. ``defaults`` has the values of those that have one.
    ``model`` and ``sampling`` are the author's request. ``front`` is everything in the file besides the messages, known
    or not; ``warnings`` lists what was not understood. ``syntax`` is ``plain`` if only ``{{name}}`` is special.
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
        """All messages joined: the text that the spans of rules refer to."""
        return "\n\n".join(message.text for message in self.messages)

    @property
    def hash(self) -> str:
        """The prompt's identity: a hash of all that decides the request."""
        said = [[message.role, message.text] for message in self.messages]
        return content_id([said, self.syntax, self.defaults, self.sampling, self.schema])
