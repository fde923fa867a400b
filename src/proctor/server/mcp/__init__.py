"""The gateway in front of a tool server that speaks the Model Context Protocol."""
