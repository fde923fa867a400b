"""Rules, predicates, intents and inputs found by code alone in public prompts, beside what a reader expects."""
