"""Score many recorded conversations in shards, on a local pool of processes or on a Ray cluster."""
