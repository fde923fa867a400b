"""Numbers in, numbers out: pure Python, nothing of ours imported."""
