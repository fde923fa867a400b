"""The gates that ship: one file for each, each found by its entry point."""
