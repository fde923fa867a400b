"""Decisions from results: what changed since the baseline, and whether it may ship."""
