"""The guard as an HTTP service next to an agent."""
