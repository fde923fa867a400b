"""Make one conversation through real SDKs, each of which sends it to a server: run as a program by the tests.

Arguments: names of SDKs. The environment says where the model and `proctor serve` are.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

MESSAGES: list[Any] = [
    {"role": "system", "content": "You help customers."},
    {"role": "user", "content": "Where is my order A-17?"},
]
TOOLS: list[Any] = [
    {
        "type": "function",
        "function": {
            "name": "find_order",
            "parameters": {"type": "object", "properties": {"order": {"type": "string"}}},
        },
    }
]
INSTRUMENTORS = {
    "openai-v2": "opentelemetry.instrumentation.openai_v2",
    "openai-v2-latest": "opentelemetry.instrumentation.openai_v2",
    "openllmetry": "opentelemetry.instrumentation.openai",
    "openinference": "openinference.instrumentation.openai",
}


def converse(client: Any) -> str:
    """Ask, call a tool, ask again."""
    first = client.chat.completions.create(model="gpt-4o-mini", messages=MESSAGES, tools=TOOLS)
    called = first.choices[0].message.tool_calls[0]
    function = {"function": {"name": called.function.name, "arguments": called.function.arguments}}
    more = [
        *MESSAGES,
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": called.id, "type": "function", **function}],
        },
        {"role": "tool", "tool_call_id": called.id, "content": '{"status":"packed"}'},
    ]
    last = client.chat.completions.create(model="gpt-4o-mini", messages=more, tools=TOOLS)
    return str(last.choices[0].message.content)


def through_instrumentor(name: str) -> None:
    """Send spans and log events with the OpenTelemetry SDK."""
    import openai
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    resource = Resource.create({"service.name": name, "service.version": "7"})
    spans = TracerProvider(resource=resource)
    spans.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    logs = LoggerProvider(resource=resource)
    logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
    instrumentor = importlib.import_module(INSTRUMENTORS[name]).OpenAIInstrumentor()
    instrumentor.instrument(tracer_provider=spans, logger_provider=logs)
    about = {"session.id": name, "user.id": "u-1"}
    with spans.get_tracer("app").start_as_current_span("handle", attributes=about):
        converse(openai.OpenAI())
    instrumentor.uninstrument()
    spans.shutdown()
    logs.shutdown()


def through_langsmith() -> None:
    """Send runs and feedback with the LangSmith SDK."""
    import openai
    from langsmith import Client, get_current_run_tree, traceable
    from langsmith.wrappers import wrap_openai

    sender = Client()
    client = wrap_openai(openai.OpenAI())
    traced: list[Any] = []

    @traceable(metadata={"session_id": "langsmith", "user_id": "u-1"}, client=sender)
    def handle(question: str) -> str:
        traced.append(get_current_run_tree())
        return converse(client)

    handle(MESSAGES[1]["content"])
    run = traced[0]
    sender.create_feedback(
        run_id=run.id, trace_id=run.trace_id, key="helpful", score=0.9, comment="good", session_id=run.trace_id
    )
    sender.flush()


def through_langfuse() -> None:
    """Send observations and a score with the Langfuse SDK."""
    from langfuse import get_client, observe, propagate_attributes
    from langfuse.openai import OpenAI

    sender = get_client()

    @observe()
    def handle(question: str) -> str:
        with propagate_attributes(session_id="langfuse", user_id="u-1"):
            sender.score_current_trace(name="helpful", value=0.9, comment="good")
            return converse(OpenAI())

    handle(MESSAGES[1]["content"])
    sender.flush()
    sender.shutdown()


def main() -> None:
    """Make the calls; the test has set the environment as a user would."""
    for name in sys.argv[1:]:
        if name in INSTRUMENTORS:
            through_instrumentor(name)
        elif name == "langsmith":
            through_langsmith()
        else:
            through_langfuse()


if __name__ == "__main__":
    main()
