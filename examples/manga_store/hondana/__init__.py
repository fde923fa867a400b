"""Hondana, a manga shop: its database, what its customers say, and what its assistant Shiori answers."""
