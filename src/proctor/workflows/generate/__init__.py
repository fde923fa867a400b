"""Generation of tests from a prompt."""
