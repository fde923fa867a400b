"""Run cases on targets and score their trajectories."""
