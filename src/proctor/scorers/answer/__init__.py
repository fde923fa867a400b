"""Scorers of the answer: its text, its data, its tool calls, its latency and its cost."""
