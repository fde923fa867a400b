"""Scorers of what was answered: the words, the data, the tool calls, the time and the money."""
