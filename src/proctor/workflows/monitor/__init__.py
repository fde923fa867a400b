"""Figures from event logs and recorded conversations."""
