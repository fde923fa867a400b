"""Models that run in this process on the CPU, with bundled weights: injection, entailment, sentence vectors."""
