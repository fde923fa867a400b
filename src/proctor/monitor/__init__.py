"""What production tells: completion, escalations, knowledge gaps, and failures that become tests."""
