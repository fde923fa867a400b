"""What waits for a person, and what a person decides."""
