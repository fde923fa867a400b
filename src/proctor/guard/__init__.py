"""Check the steps of a live conversation: gates, the chains that run them, and the state of a session."""
