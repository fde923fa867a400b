"""Replay of recorded conversations with reworded questions."""
