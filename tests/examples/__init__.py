"""The examples work, and show what they say they show."""
