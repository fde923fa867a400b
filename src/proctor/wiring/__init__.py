"""Config to live objects: the one place where rooms meet."""
