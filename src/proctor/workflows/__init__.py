"""Complete user workflows; each command of the CLI calls one of them."""
