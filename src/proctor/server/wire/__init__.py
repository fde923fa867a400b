"""Wire formats: server-sent events, JSON lines, strict JSON, and the places of texts in them."""
