"""The command line: one verb per file, none imported before it is used."""
