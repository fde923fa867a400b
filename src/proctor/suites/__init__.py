"""Cases from files: read, select, freeze, compare."""
