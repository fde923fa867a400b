"""Catalogues: the live truth about products, from a file, a database or a service; asked each time, never cached."""
