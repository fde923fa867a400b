"""Strings in, strings out."""
