"""Publish a run's figures to monitoring systems."""
