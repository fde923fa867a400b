"""What users do from beginning to end: each command of the command line calls one of these."""
