"""Wrappers: a model in, a model out. Each adds one feature and costs microseconds."""
