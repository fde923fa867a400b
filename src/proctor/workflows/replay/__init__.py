"""Replay of recorded conversations in other words."""
