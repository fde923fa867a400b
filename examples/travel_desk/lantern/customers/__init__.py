"""Simulated customers: each has a goal, and speaks by a script or on a model."""
