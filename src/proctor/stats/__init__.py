"""Numbers in, numbers out: nothing of ours imported; numpy only where many numbers are drawn or added."""
