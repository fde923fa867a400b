"""Simulated traffic with known truth, for tests, benchmarks and demos."""
