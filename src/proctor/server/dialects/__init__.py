"""Model APIs that the proxy guards: where texts and calls stand in their requests, answers and streams."""
