"""Settings of a model behind an OpenAI-compatible API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from proctor.models.settings import HttpSettings

__all__ = ["AzureSettings", "OpenAISettings", "Provider", "TokenField"]

TokenField = Literal["max_tokens", "max_completion_tokens"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """The differences between servers of the OpenAI API.

    ``limits_by`` is its name for the limit on the answer's tokens.
    ``any_schema``: its native mode takes any JSON schema, not only that of an object. ``tells_cost``: it
    reports the cost of each answer. ``keeps_lengths``: its strict mode takes limits on the length of texts.
    ``start`` and ``get_model`` are the hints if the server is down and if the model is missing.
    """

    name: str
    base_url: str | None = None
    base_url_env: str | None = None
    key_env: str | None = None
    limits_by: TokenField = "max_tokens"
    any_schema: bool = False
    tells_cost: bool = False
    keeps_lengths: bool = True
    start: str | None = None
    get_model: str = "check `model` and `base_url`"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAISettings(HttpSettings):
    """Settings of a model behind an OpenAI-compatible API.

    ``structured`` selects how JSON is requested: the server's schema mode, its mode for any JSON object,
    or only by an instruction. ``token_field`` is the server's name for the limit on the answer's tokens.
    """

    api: Literal["chat", "responses"] = "chat"
    seed: int | None = None
    structured: Literal["native", "json_object", "prompt"] = "native"
    token_field: TokenField | None = None

    def __post_init__(self) -> None:
        HttpSettings.__post_init__(self)
        if self.api == "responses" and self.seed is not None:
            raise ValueError("seed is not possible with `api: responses`")


@dataclass(frozen=True, slots=True, kw_only=True)
class AzureSettings(OpenAISettings):
    """A deployment on Azure OpenAI; ``api_version`` selects the older path of deployments."""

    api_version: str | None = None
    deployment: str | None = None
