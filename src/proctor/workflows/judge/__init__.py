"""Judges measured against what people said."""
