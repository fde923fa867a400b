"""The guard as an HTTP service beside an agent."""
