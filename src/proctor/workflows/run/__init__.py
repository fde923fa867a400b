"""Runs: suites and prompts opened, cases put to targets, answers graded, results kept."""
