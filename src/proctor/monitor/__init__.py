"""Production monitoring: completion, escalations, knowledge gaps, and failures that become tests."""
