"""Models that run in this process, on the CPU, with weights that ship: injection, entailment, sentence vectors."""
