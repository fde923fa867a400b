"""Models behind OpenAI's API: OpenAI, Azure, Ollama, vLLM, llama.cpp, OpenRouter, and any compatible server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from proctor.core.errors import ConfigError
from proctor.core.sockets import Kit, Model
from proctor.models.chat import ChatCompletions
from proctor.models.openai_settings import AzureSettings, OpenAISettings, Provider, TokenField
from proctor.models.responses import Responses
from proctor.models.settings import Address, address, find_key, read_settings, spec_of
from proctor.models.wire import Wire, open_wire

__all__ = ["azure", "compatible", "llamacpp", "ollama", "openai", "openrouter", "vllm"]

_OPENAI = Provider(
    name="openai",
    base_url="https://api.openai.com/v1",
    base_url_env="OPENAI_BASE_URL",
    key_env="OPENAI_API_KEY",
    limits_by="max_completion_tokens",
    keeps_lengths=False,
)
_AZURE = Provider(
    name="azure",
    base_url_env="AZURE_OPENAI_ENDPOINT",
    key_env="AZURE_OPENAI_API_KEY",
    limits_by="max_completion_tokens",
    keeps_lengths=False,
    get_model="`model` (or `deployment`) must be the name of a deployment; check also base_url and api_version",
)
_OLLAMA = Provider(
    name="ollama",
    base_url="http://127.0.0.1:11434/v1",
    any_schema=True,
    start="start it with `ollama serve`, or set base_url",
    get_model="get it with `ollama pull`, or check `model`",
)
_VLLM = Provider(
    name="vllm",
    base_url="http://127.0.0.1:8000/v1",
    any_schema=True,
    start="start it with `vllm serve MODEL`, or set base_url",
    get_model="`model` must be the name vLLM serves; see /v1/models",
)
_LLAMACPP = Provider(
    name="llamacpp",
    base_url="http://127.0.0.1:8080/v1",
    any_schema=True,
    start="start it with `llama-server -m MODEL.gguf`, or set base_url",
)
_OPENROUTER = Provider(
    name="openrouter",
    base_url="https://openrouter.ai/api/v1",
    key_env="OPENROUTER_API_KEY",
    tells_cost=True,
    keeps_lengths=False,
    get_model="check `model`: it has the shape vendor/name",
)
_COMPATIBLE = Provider(name="compatible")

_PATHS = {"chat": "/chat/completions", "responses": "/responses"}

# Azure's API versions are dates (or words, which sort after them).
_NEW_LIMIT_SINCE = "2024-09-01"
_LATEST = "latest"
_OLD_LIMIT: TokenField = "max_tokens"


def openai(kit: Kit) -> Model:
    """OpenAI's own models."""
    return _connect(kit, _OPENAI)


def ollama(kit: Kit) -> Model:
    """Models served by Ollama on this machine or another."""
    return _connect(kit, _OLLAMA)


def vllm(kit: Kit) -> Model:
    """Models served by vLLM."""
    return _connect(kit, _VLLM)


def llamacpp(kit: Kit) -> Model:
    """Models served by llama.cpp's llama-server."""
    return _connect(kit, _LLAMACPP)


def openrouter(kit: Kit) -> Model:
    """Models of many vendors through OpenRouter."""
    return _connect(kit, _OPENROUTER)


def compatible(kit: Kit) -> Model:
    """Any other server with OpenAI's API."""
    return _connect(kit, _COMPATIBLE)


def azure(kit: Kit) -> Model:
    """Deployments on Azure OpenAI."""
    settings = read_settings(AzureSettings, kit)
    where = _address(kit, settings, _AZURE)
    key, source = find_key(kit, settings, default_env=_AZURE.key_env, required=True)
    deployed = replace(settings, model=settings.deployment or settings.model)
    if settings.token_field is None and (settings.api_version or _LATEST) < _NEW_LIMIT_SINCE:
        deployed = replace(deployed, token_field=_OLD_LIMIT)
    wire = open_wire(
        kit,
        settings,
        who=f"azure:{settings.model}",
        url=_azure_url(where, deployed),
        headers={"api-key": key} if key else where.headers,
        secrets=where.secrets,
        hints=_hints(_AZURE, source),
    )
    told = {"deployment": settings.deployment, "api_version": settings.api_version}
    return _model(deployed, _AZURE, wire, _spec(settings, _AZURE, where, **told))


def _connect(kit: Kit, provider: Provider) -> Model:
    settings = read_settings(OpenAISettings, kit)
    where = _address(kit, settings, provider)
    key, source = find_key(kit, settings, default_env=provider.key_env, required=provider.key_env is not None)
    wire = open_wire(
        kit,
        settings,
        who=f"{provider.name}:{settings.model}",
        url=where.at(_PATHS[settings.api]),
        headers={"Authorization": f"Bearer {key}"} if key else where.headers,
        secrets=where.secrets,
        hints=_hints(provider, source),
    )
    return _model(settings, provider, wire, _spec(settings, provider, where))


def _model(settings: OpenAISettings, provider: Provider, wire: Wire, spec: Mapping[str, Any]) -> Model:
    if settings.api == "responses":
        return Responses(name=wire.who, provider=provider, settings=settings, spec=spec, wire=wire)
    return ChatCompletions(name=wire.who, provider=provider, settings=settings, spec=spec, wire=wire)


def _address(kit: Kit, settings: OpenAISettings, provider: Provider) -> Address:
    told = settings.base_url or (kit.env(provider.base_url_env) if provider.base_url_env else None)
    if not (told := told or provider.base_url):
        hint = "set `base_url`" + (f", or {provider.base_url_env} in the environment" if provider.base_url_env else "")
        raise ConfigError("no address of the server", field=f"models.{kit.name}.base_url", hint=hint)
    return address(kit, told)


def _azure_url(where: Address, settings: AzureSettings) -> str:
    """Return the v1 path, or with a dated ``api_version`` the older one that names the deployment."""
    path, version = _PATHS[settings.api], settings.api_version
    root = "" if where.shown.endswith("/openai/v1") else "/openai/v1"
    if version is None:
        return where.at(root + path)
    if version in ("v1", "preview", "latest"):
        return where.at(root + path, api_version=version)
    deployment = f"/deployments/{quote(settings.model, safe='')}" if settings.api == "chat" else ""
    return where.at(f"/openai{deployment}{path}", api_version=version)


def _hints(provider: Provider, key_source: str) -> dict[str, str]:
    hints = {"key": f"check the key in {key_source}", "model": provider.get_model}
    return {**hints, "start": provider.start} if provider.start else hints


def _spec(settings: OpenAISettings, provider: Provider, where: Address, **more: Any) -> dict[str, Any]:
    return spec_of(
        settings,
        provider=provider.name,
        base_url=where.shown,
        api=settings.api,
        structured=settings.structured,
        seed=settings.seed,
        **more,
    )
