"""What answers over HTTP: the proxy, the sidecar, the gateway for tools, and the middleware, on what they share."""
