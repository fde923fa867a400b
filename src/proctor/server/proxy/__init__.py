"""The proxy in front of a model API."""
