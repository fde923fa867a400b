"""Publish the figures of a run to the places under `publish:` in proctor.yaml."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from proctor.config import Config, expand
from proctor.core.attack_mask import masked_results
from proctor.core.decode import closest, decode
from proctor.core.errors import ConfigError, InputError, MalformedError, Problem
from proctor.core.report import Report, Result
from proctor.core.score import Score
from proctor.core.sockets import Http
from proctor.models.cloudwatch import cloudwatch
from proctor.project import Project
from proctor.release.measures import DIMENSIONS, QUALITY
from proctor.report.formats import whole_or_nothing
from proctor.report.publish import cloudwatch as to_cloudwatch
from proctor.report.publish import jsonl as to_jsonl
from proctor.report.publish import otel as to_otel
from proctor.report.publish import prometheus as to_prometheus
from proctor.report.publish.published_result import NO_INTENT, Graded
from proctor.store.run_reader import RunReader

__all__ = ["PLACES", "Publication", "check_places", "publish_run", "shown"]

PLACES = ("cloudwatch", "prometheus", "otel", "jsonl")
Settings = TypeVar("Settings")


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """A run to publish, and settings that override those of proctor.yaml."""

    config: Config
    reader: RunReader
    target: str | None = None
    given: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def written(self, place: str) -> dict[str, Any]:
        """Return the raw settings of a place with the overrides applied."""
        found = self.config.settings.publish.get(place)
        entry = dict(found) if isinstance(found, Mapping) else {_MAIN[place]: found} if found is not None else {}
        return {**entry, **{key: value for key, value in self.given.get(place, {}).items() if value is not None}}

    def settings(self, place: str, kind: type[Settings]) -> Settings:
        """Return the settings of a place.

        Raises:
            MalformedError: a setting is wrong; names its path in proctor.yaml.
        """
        file = str(self.config.path) if self.config.path else None
        try:
            return decode(kind, expand(self.written(place), self.config.environment), strict=True)
        except MalformedError as error:
            problems = [Problem(("publish", place, *each.path), each.message, each.hint) for each in error.problems]
            raise MalformedError(problems, file=file) from error

    def results(self) -> Iterator[Graded]:
        """Yield the results, one at a time."""
        return (_graded(each) for each in masked_results(self.reader.results(target=self.target)))

    def path(self, name: str) -> Path:
        """Return a file's path; relative paths in proctor.yaml start at the project's folder."""
        return self.config.folder / Path(name).expanduser()


_MAIN = {"cloudwatch": "namespace", "prometheus": "file", "otel": "endpoint", "jsonl": "file"}


def check_places(config: Config, named: tuple[str, ...]) -> tuple[str, ...]:
    """Return the places to publish to: those named, or all in proctor.yaml.

    Raises:
        ConfigError: there are none, or one is unknown.
    """
    unknown = [name for name in config.settings.publish if name not in PLACES]
    if unknown:
        guess = closest(unknown[0], PLACES)
        raise ConfigError(
            f"nothing publishes to {unknown[0]!r}",
            file=str(config.path) if config.path else None,
            field=f"publish.{unknown[0]}",
            hint=f"did you mean {guess!r}?" if guess else f"write one of {', '.join(PLACES)}",
        )
    places = named or tuple(config.settings.publish)
    if not places:
        raise ConfigError(
            "no place to publish to is named",
            hint=f"name one with --to ({', '.join(PLACES)}), or write `publish:` in proctor.yaml",
        )
    return tuple(dict.fromkeys(places))


async def publish_run(work: Publication, place: str) -> str:
    """Publish to one place; return a description of what was done.

    Raises:
        InputError: the settings are wrong, or the run cannot be published there.
        ModelError: the place returned an error.
        StoreError: the file cannot be written.
    """
    report = _report(work, place)
    if place == "jsonl":
        path = work.path(to_jsonl.file_name(work.settings(place, to_jsonl.JsonlSettings), report))
        with whole_or_nothing(path) as out:
            to_jsonl.write(report, work.results(), out)
        return f"wrote {path}"
    async with AsyncExitStack() as stack:
        if place == "cloudwatch":
            settings = work.settings(place, to_cloudwatch.CloudWatchSettings)
            door = cloudwatch(
                work.config.environment.get,
                region=settings.region,
                profile=settings.profile,
                endpoint_url=settings.endpoint_url,
                timeout=settings.timeout,
            )
            stack.callback(door.close)
            sent = await to_cloudwatch.publish(report, work.results(), settings, door)
            return f"sent {sent} data to CloudWatch, namespace {settings.namespace}"
        project = await stack.enter_async_context(Project(work.config))
        if place == "otel":
            otel = _otel(work)
            sent = await to_otel.publish(report, work.results(), otel, project.http)
            return f"sent {sent} events to the collector"
        return await _prometheus(work, report, project.http)


def shown(work: Publication, place: str) -> Iterator[str]:
    """Yield the text that would be published, without sending or writing it."""
    report = _report(work, place)
    if place == "jsonl":
        for line in to_jsonl.lines(report, work.results()):
            yield json.dumps(line, ensure_ascii=False)
    elif place == "prometheus":
        yield to_prometheus.text(report, work.settings(place, to_prometheus.PrometheusSettings)).rstrip("\n")
    elif place == "otel":
        for _, body in to_otel.requests(report, work.results(), _otel(work)):
            yield body.decode()
    else:
        settings = work.settings(place, to_cloudwatch.CloudWatchSettings)
        for batch in to_cloudwatch.batches(to_cloudwatch.data(report, work.results(), settings)):
            yield json.dumps({"Namespace": settings.namespace, "MetricData": batch}, default=str, ensure_ascii=False)


def _otel(work: Publication) -> to_otel.OtelSettings:
    settings = work.settings("otel", to_otel.OtelSettings)
    return to_otel.from_environment(settings, work.written("otel"), work.config.environment.get)


async def _prometheus(work: Publication, report: Report, http: Http) -> str:
    settings = work.settings("prometheus", to_prometheus.PrometheusSettings)
    name = to_prometheus.file_name(settings, report)
    if name is None and settings.push is None:
        hint = "give --file or --url, or write `publish: {prometheus: {file: metrics.prom}}`"
        raise ConfigError("there is neither a file nor a push gateway", field="publish.prometheus", hint=hint)
    done = []
    if name is not None:
        path = work.path(name)
        with whole_or_nothing(path) as out:
            to_prometheus.write(report, settings, out)
        done.append(f"wrote {path}")
    if settings.push is not None:
        await to_prometheus.push(report, settings, http)
        done.append(f"pushed to the gateway as job {settings.job}")
    return ", ".join(done)


def _report(work: Publication, place: str) -> Report:
    run, targets = work.reader.run, work.reader.targets()
    if run.status != "finished":
        hint = f"`proctor run --resume {run.id}` does the rest"
        raise InputError(f"run {run.id} is {run.status}, and half a run's figures would mislead", hint=hint)
    if place == "cloudwatch" and work.target is None and len(targets) > 1:
        # The document has dimensions for intents but not for targets, so two targets would be merged.
        raise InputError(f"run {run.id} had several targets", hint=f"name one with --target: {', '.join(targets)}")
    return work.reader.report()


def _graded(result: Result) -> Graded:
    whole = next((score for score in result.scores if score.name == QUALITY), None)
    if whole is not None and whole.parts:
        scores: tuple[Score, ...] = whole.parts
    else:
        scores = tuple(score for score in result.scores if score.name in DIMENSIONS) or result.scores
    turn = result.trajectory.turns[-1] if result.trajectory.turns else None
    told = result.trajectory.metadata
    return Graded(
        case=result.case.id,
        target=result.target,
        sample=result.sample,
        intent=result.case.intent or NO_INTENT,
        outcome=result.outcome,
        value=result.value if whole is None else whole.value,
        dimensions=scores,
        duration=result.duration,
        time=(turn.time if turn else None) or result.started,
        answer=result.trajectory.id or str(told.get("response_id") or "") or None,
        trace={"traceId": str(told.get("trace_id") or ""), "spanId": str(told.get("span_id") or "")},
    )
