"""What answers over HTTP: the proxy, the sidecar, the door for tools, and the middleware."""
