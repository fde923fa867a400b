"""The gateway in front of a Model Context Protocol (MCP) server."""
