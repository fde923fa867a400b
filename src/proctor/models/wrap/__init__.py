"""Wrappers: a model in, a model out. Each adds one thing and costs microseconds."""
