"""Cases from a prompt: what it is for, what goes in, which rules its answers keep, and tests for each rule."""
