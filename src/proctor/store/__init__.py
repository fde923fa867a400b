"""What is kept: the only room with a database."""
