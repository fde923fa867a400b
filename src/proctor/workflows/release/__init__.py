"""Releases: runs against baselines, the rules of release, the decision and its record."""
