"""Generate cases from a prompt: its intent, its inputs, its rules, and tests for each rule."""
