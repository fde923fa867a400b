"""Catalogues: current product data from a file, a database or a service, queried each time, never cached."""
