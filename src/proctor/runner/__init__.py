"""Carries cases to targets and trajectories to scorers."""
