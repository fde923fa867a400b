"""Mutation of prompts, and what their tests find."""
