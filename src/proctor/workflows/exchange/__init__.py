"""Exchange of prompts and tests with other tools."""
