"""Outputs made to keep predicates: what the scripted obedient model writes with."""
