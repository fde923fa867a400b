"""Release decisions: what changed since the baseline, and whether it may ship."""
