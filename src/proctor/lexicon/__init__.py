"""What people say, by concept: one YAML file for each, one matcher for all, and what a project adds to them."""
