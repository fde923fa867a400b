"""Model APIs that the proxy guards: where their requests, answers and streams have texts and calls."""
