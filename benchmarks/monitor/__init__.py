"""Measures the monitor."""
