"""Build live objects from the configuration; the only package that imports all the others."""
