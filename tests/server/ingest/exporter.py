"""Send spans with the real OpenTelemetry exporter without end: run as a program by the tests and the benchmark.

Arguments: the URL of `proctor serve`, the first number of a conversation, and how many. The number of a trace is in its
session. For every acknowledged export the numbers are printed; an export that fails is sent again until it succeeds.
"""

from __future__ import annotations

import json
import logging
import sys
import time

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export import SpanExportResult as Result

BATCH = 20  # conversations in one export


class Collected(SpanExporter):
    """Keeps finished spans until they are sent."""

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []

    def export(self, spans: object) -> SpanExportResult:
        self.spans.extend(spans)  # type: ignore[arg-type]
        return Result.SUCCESS


def main() -> None:
    """Send and report."""
    logging.disable(logging.CRITICAL)  # the exporter tells of every attempt
    url, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    collected = Collected()
    provider = TracerProvider(resource=Resource.create({"service.name": "load"}))
    provider.add_span_processor(SimpleSpanProcessor(collected))
    tracer = provider.get_tracer("load")
    exporter = OTLPSpanExporter(endpoint=f"{url}/v1/traces", timeout=10)
    for start in range(first, first + count, BATCH):
        numbers = list(range(start, min(start + BATCH, first + count)))
        for number in numbers:
            with tracer.start_as_current_span("handle", attributes={"session.id": f"s-{number}"}):
                said = [{"role": "user", "parts": [{"type": "text", "content": f"Where is order {number}?"}]}]
                answer = [{"role": "assistant", "parts": [{"type": "text", "content": "On its way."}]}]
                attributes = {
                    "gen_ai.operation.name": "chat",
                    "gen_ai.input.messages": json.dumps(said),
                    "gen_ai.output.messages": json.dumps(answer),
                }
                with tracer.start_as_current_span("chat", attributes=attributes):
                    pass
        spans, collected.spans = collected.spans, []
        while exporter.export(spans) is not Result.SUCCESS:
            time.sleep(0.02)
        print(*numbers, flush=True)


if __name__ == "__main__":
    main()
