"""The built-in gates: one per file, each found by its entry point."""
