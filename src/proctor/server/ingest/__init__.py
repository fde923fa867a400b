"""Receive what production sends: OTLP, plain JSON, and the SDKs of Langfuse and LangSmith."""
