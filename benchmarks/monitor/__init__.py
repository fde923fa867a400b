"""What watching production costs, and what alerts can see."""
