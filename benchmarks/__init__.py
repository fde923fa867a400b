"""Measures of Proctor beside bare aiohttp and its peers, against a local stub server."""
