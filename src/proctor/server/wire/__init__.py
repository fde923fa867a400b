"""Formats on the wire: server-sent events, lines of JSON, strict JSON, and where texts stand in them."""
