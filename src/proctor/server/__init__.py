"""HTTP servers: the proxy, the sidecar, the MCP gateway and the ASGI middleware, with their shared code."""
