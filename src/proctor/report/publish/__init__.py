"""A run's figures for the places where other figures are watched."""
