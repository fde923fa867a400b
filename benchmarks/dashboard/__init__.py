"""Measures of the dashboard."""
