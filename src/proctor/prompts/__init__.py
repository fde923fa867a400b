"""Prompt files: what is in them, and the messages they make."""
