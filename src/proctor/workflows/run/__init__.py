"""Runs: open suites and prompts, run cases against targets, grade answers, store results."""
