"""Persistence; the only package that uses a database."""
