"""Attack campaigns: goals, techniques, planned attempts, and the search for what gets through."""
