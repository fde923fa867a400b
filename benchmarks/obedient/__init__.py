"""A scripted model for measuring tests: it keeps every predicate found in its prompt and nothing else."""
