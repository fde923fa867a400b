"""Domain types and protocols: standard library only, no I/O, no asyncio."""
