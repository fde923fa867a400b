"""Scorers of whole conversations: what was said and done over many turns."""
