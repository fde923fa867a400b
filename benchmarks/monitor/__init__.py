"""Measures of what watches production."""
