"""Nouns and sockets: standard library only, no I/O, no asyncio."""
