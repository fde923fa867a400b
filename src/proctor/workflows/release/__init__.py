"""Releases: baselines, comparison, policy, decision and record."""
