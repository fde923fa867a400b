"""The review queue, and decisions by people."""
