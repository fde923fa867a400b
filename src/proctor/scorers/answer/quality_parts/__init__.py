"""The parts of the four quality dimensions."""
