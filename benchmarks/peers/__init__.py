"""The same job done with other tools, each in an environment of its own."""
