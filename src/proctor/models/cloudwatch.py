"""Amazon CloudWatch's PutMetricData, through boto3."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from proctor.core.errors import ConfigError, ModelError, RefusedError, TimedOutError, UnreachableError
from proctor.models.failures import failure, said

__all__ = ["CloudWatch", "cloudwatch"]

_HINTS = {"key": "check the AWS credentials and that they allow cloudwatch:PutMetricData", "model": "check `region`"}
_STATUS_OF_CODE = {"Throttling": 429, "ThrottlingException": 429, "AccessDenied": 403, "InvalidClientTokenId": 403}
_STATUS_OF_CODE |= {"AccessDeniedException": 403, "ExpiredToken": 403, "SignatureDoesNotMatch": 403}
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudWatch:
    """Sends metrics to CloudWatch. boto3 blocks, so each call runs in a thread; boto3 itself retries when throttled."""

    client: Any = field(repr=False)
    timeout: float = 30.0
    secrets: tuple[str, ...] = field(default=(), repr=False)

    async def put(self, namespace: str, batch: Sequence[Mapping[str, Any]]) -> None:
        """Send one batch.

        Raises:
            ModelError: it was not accepted.
        """
        try:
            await asyncio.to_thread(self.client.put_metric_data, Namespace=namespace, MetricData=list(batch))
        except Exception as error:
            # Not chained: boto3's message may contain what was sent.
            raise self._explained(error) from None

    def close(self) -> None:
        """Close the connections."""
        self.client.close()

    def _explained(self, error: Exception) -> ModelError:
        exceptions = importlib.import_module("botocore.exceptions")
        if isinstance(error, exceptions.ClientError):
            told, meta = error.response.get("Error", {}), error.response.get("ResponseMetadata", {})
            code = str(told.get("Code", ""))
            return failure(
                int(meta.get("HTTPStatusCode") or 500),
                meta.get("HTTPHeaders", {}),
                f"{code}: {told.get('Message', '')}",
                who="CloudWatch",
                secrets=self.secrets,
                hints=_HINTS,
                meant=_STATUS_OF_CODE.get(code),
            )
        text = f"CloudWatch: {said(str(error), self.secrets)}"
        if isinstance(error, exceptions.ReadTimeoutError):
            return TimedOutError(f"CloudWatch: no answer within {self.timeout:g} s", hint="raise `timeout`")
        if isinstance(error, (exceptions.HTTPClientError, exceptions.ConnectionError)):
            return UnreachableError(text, hint="check `region`, `endpoint_url` and the network")
        return RefusedError(text, hint="set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or `profile`")


def cloudwatch(
    env: Callable[[str], str | None],
    *,
    region: str | None = None,
    profile: str | None = None,
    endpoint_url: str | None = None,
    timeout: float = 30.0,
) -> CloudWatch:
    """Return a client for the given region, or the environment's.

    Raises:
        ConfigError: boto3 is not installed, or no region is set.
    """
    try:
        boto3, config, errors = map(importlib.import_module, ("boto3", "botocore.config", "botocore.exceptions"))
    except ImportError:
        hint = "pip install 'proctor[bedrock]'"
        raise ConfigError("CloudWatch needs boto3", field="publish.cloudwatch", hint=hint) from None
    who = _credentials(env, profile)
    secrets = tuple(value for name, value in who.items() if name != "profile_name")
    try:
        client = boto3.Session(**who).client(
            "cloudwatch",
            region_name=region or env("AWS_REGION") or env("AWS_DEFAULT_REGION"),
            endpoint_url=endpoint_url,
            config=config.Config(
                connect_timeout=min(timeout, 20.0),
                read_timeout=timeout,
                retries={"total_max_attempts": _ATTEMPTS, "mode": "standard"},
            ),
        )
    except (errors.BotoCoreError, ValueError) as error:
        hint = "set `region` and `profile`, or AWS_REGION and AWS_PROFILE in the environment"
        raise ConfigError(said(str(error), secrets), field="publish.cloudwatch", hint=hint) from None
    return CloudWatch(client=client, timeout=timeout, secrets=secrets)


def _credentials(env: Callable[[str], str | None], profile: str | None) -> dict[str, str]:
    """Return credentials from the environment; if empty, boto3 uses its default chain."""
    key, secret = env("AWS_ACCESS_KEY_ID"), env("AWS_SECRET_ACCESS_KEY")
    if named := profile or (None if key else env("AWS_PROFILE")):
        return {"profile_name": named}
    if not (key and secret):
        return {}
    found = {"aws_access_key_id": key, "aws_secret_access_key": secret}
    token = env("AWS_SESSION_TOKEN")
    return {**found, "aws_session_token": token} if token else found
