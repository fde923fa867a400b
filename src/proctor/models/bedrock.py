"""Amazon Bedrock's Converse API, through boto3."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Literal

from proctor.core.chat import Reply, Request
from proctor.core.codec import content_id
from proctor.core.errors import (
    ConfigError,
    ModelError,
    RefusedError,
    RejectedError,
    ReplyError,
    TimedOutError,
    UnreachableError,
)
from proctor.core.sockets import Kit, Model
from proctor.models import converse
from proctor.models.failures import failure, said
from proctor.models.json_mode import answer_tool, is_object_schema, with_instruction
from proctor.models.settings import SamplingSettings, address, read_settings
from proctor.models.wire import merged, sampling
from proctor.text.redact import redact_data

__all__ = ["Bedrock", "BedrockSettings", "bedrock"]

_CONNECT_SECONDS = 20.0
_GRACE_SECONDS = 5.0
_HINTS = {
    "key": "check the AWS credentials, and in the Bedrock console that the account may use this model",
    "model": "check `model` and `region`",
}
# Statuses for error codes whose HTTP status is misleading.
_STATUS_OF_CODE = {
    "ThrottlingException": 429,
    "TooManyRequestsException": 429,
    "ServiceQuotaExceededException": 429,
    "ModelNotReadyException": 503,
    "ModelErrorException": 502,
    "ModelTimeoutException": 504,
    "AccessDeniedException": 403,
    "UnrecognizedClientException": 403,
    "ExpiredTokenException": 403,
    "InvalidSignatureException": 403,
    "ResourceNotFoundException": 404,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BedrockSettings(SamplingSettings):
    """Settings of a model on Bedrock; ``body`` is merged into the request, ``connections`` limits concurrency."""

    model: str
    region: str | None = None
    profile: str | None = None
    endpoint_url: str | None = field(default=None, repr=False)
    timeout: float = 120.0
    connections: int = 64
    structured: Literal["native", "prompt"] = "native"
    body: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        SamplingSettings.__post_init__(self)
        if not self.model.strip():
            raise ValueError("model must not be empty")
        if self.timeout <= 0:
            raise ValueError("timeout must be more than 0 seconds")
        if not 1 <= self.connections <= 1000:
            raise ValueError("connections must be between 1 and 1000")


def bedrock(kit: Kit) -> Model:
    """Models on Amazon Bedrock."""
    settings = read_settings(BedrockSettings, kit)
    try:
        boto3, config, errors = map(importlib.import_module, ("boto3", "botocore.config", "botocore.exceptions"))
    except ImportError:
        hint = "pip install 'proctor[bedrock]'"
        raise ConfigError("Bedrock needs boto3", field=f"models.{kit.name}", hint=hint) from None
    where = address(kit, settings.endpoint_url).shown if settings.endpoint_url else None
    region = settings.region or kit.env("AWS_REGION") or kit.env("AWS_DEFAULT_REGION")
    credentials = _credentials(kit, settings)
    secrets = tuple(value for name, value in credentials.items() if name != "profile_name")
    try:
        client = boto3.Session(**credentials).client(
            "bedrock-runtime",
            region_name=region,
            endpoint_url=settings.endpoint_url,
            config=config.Config(
                connect_timeout=min(settings.timeout, _CONNECT_SECONDS),
                read_timeout=settings.timeout,
                max_pool_connections=settings.connections,
                retries={"total_max_attempts": 1},  # the retry wrapper handles retries for every provider
            ),
        )
    except (errors.BotoCoreError, ValueError) as error:
        hint = "set `region` and `profile`, or AWS_REGION and AWS_PROFILE in the environment"
        raise ConfigError(said(str(error), secrets), field=f"models.{kit.name}", hint=hint) from None
    return Bedrock(
        name=f"bedrock:{settings.model}",
        settings=settings,
        spec=_spec(settings, client.meta.region_name, where),
        client=client,
        threads=ThreadPoolExecutor(settings.connections, thread_name_prefix="bedrock"),
        secrets=secrets,
    )


def _credentials(kit: Kit, settings: BedrockSettings) -> dict[str, str]:
    """Return credentials from the environment; if empty, boto3 uses its default chain."""
    key, secret = kit.env("AWS_ACCESS_KEY_ID"), kit.env("AWS_SECRET_ACCESS_KEY")
    profile = settings.profile or (None if key else kit.env("AWS_PROFILE"))
    if profile:
        return {"profile_name": profile}
    if not (key and secret):
        return {}
    found = {"aws_access_key_id": key, "aws_secret_access_key": secret}
    token = kit.env("AWS_SESSION_TOKEN")
    return {**found, "aws_session_token": token} if token else found


def _spec(settings: BedrockSettings, region: str, endpoint: str | None) -> dict[str, Any]:
    told = {
        "provider": "bedrock",
        "api": "converse",
        "model": settings.model,
        "region": region,
        "base_url": endpoint,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "max_tokens": settings.max_tokens,
        "stop": list(settings.stop),
        "structured": settings.structured,
        "body": redact_data(settings.body),
    }
    return {name: value for name, value in told.items() if value not in (None, [], {})}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bedrock:
    """A model behind the Converse API.

    boto3 blocks, so each call runs in the model's own thread pool. JSON is requested natively by a tool
    that the model must call; with ``structured: prompt``, or for a schema that is not of an object, the
    instruction to answer in JSON is added to the messages. The API has no seed.
    """

    name: str
    settings: BedrockSettings
    spec: Mapping[str, Any] = field(repr=False)
    client: Any = field(repr=False, compare=False)
    threads: ThreadPoolExecutor = field(repr=False, compare=False)
    secrets: tuple[str, ...] = field(default=(), repr=False, compare=False)

    @property
    def quota(self) -> str:
        """The endpoint and account that calls are counted under."""
        return content_id(["bedrock", self.spec.get("region"), self.spec.get("base_url"), self.settings.profile])

    async def complete(self, request: Request) -> Reply:
        """Return the reply to the request."""
        settings = self.settings
        native = settings.structured == "native"
        by_tool = native and request.schema is not None and is_object_schema(request.schema)
        messages = request.messages
        if request.schema is not None and not by_tool:
            messages = with_instruction(messages, request.schema)
        call = converse.arguments(request, messages, sampling(request, settings), by_tool=by_tool)
        call = {"modelId": settings.model, **merged(call, settings.body)}
        data, latency = await self._call(call)
        answers_by = answer_tool(request) if by_tool else None
        reply = converse.reply(data, answers_by=answers_by, model=settings.model, latency=latency)
        if reply is None:
            raise ReplyError(f"{self.name}: an answer without a message", hint="check `model` and `endpoint_url`")
        return reply

    async def close(self) -> None:
        """Close the connections and stop the threads."""
        self.client.close()
        self.threads.shutdown(wait=False, cancel_futures=True)

    async def _call(self, call: Mapping[str, Any]) -> tuple[Mapping[str, Any], float]:
        def timed() -> tuple[Mapping[str, Any], float]:
            started = perf_counter()
            return self.client.converse(**call), perf_counter() - started

        try:
            # boto3 limits each read, not the whole answer.
            async with asyncio.timeout(self.settings.timeout + _GRACE_SECONDS):
                return await asyncio.get_running_loop().run_in_executor(self.threads, timed)
        except TimeoutError:
            raise self._late() from None
        except Exception as error:
            # Not chained: boto3's message may contain what was sent.
            raise self._explained(error) from None

    def _late(self) -> ModelError:
        return TimedOutError(
            f"{self.name}: no full answer within {self.settings.timeout:g} s",
            hint="raise `timeout`, or try again later",
        )

    def _explained(self, error: Exception) -> ModelError:
        """Convert a boto3 error to a ``ModelError``."""
        exceptions = importlib.import_module("botocore.exceptions")
        if isinstance(error, exceptions.ClientError):
            return self._refused(error)
        text = f"{self.name}: {said(str(error), self.secrets)}"
        if isinstance(error, exceptions.ReadTimeoutError):
            return self._late()
        if isinstance(error, (exceptions.HTTPClientError, exceptions.ConnectionError)):
            return UnreachableError(text, hint="check `region`, `endpoint_url` and the network")
        if isinstance(error, exceptions.ParamValidationError):
            return RejectedError(text, hint="see what boto3 says of the request, and the model's `body`")
        if isinstance(error, exceptions.BotoCoreError):
            return RefusedError(text, hint="set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or `profile`")
        failed = ReplyError(f"{self.name}: an answer that cannot be read", hint="check `endpoint_url`")
        failed.raw = said(str(error), self.secrets)
        return failed

    def _refused(self, error: Any) -> ModelError:
        told, meta = error.response.get("Error", {}), error.response.get("ResponseMetadata", {})
        code, status = str(told.get("Code", "")), int(meta.get("HTTPStatusCode") or 500)
        return failure(
            status,
            meta.get("HTTPHeaders", {}),
            f"{code}: {told.get('Message', '')}",
            who=self.name,
            secrets=self.secrets,
            hints=_HINTS,
            meant=_STATUS_OF_CODE.get(code),
        )
