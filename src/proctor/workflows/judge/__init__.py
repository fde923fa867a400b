"""Measurement of judges against labels by people."""
