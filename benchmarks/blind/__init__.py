"""Blind sets: items written from the requirement alone, by writers who had not read the code."""
