"""Plan, run, show, triage, retest and promote attack campaigns."""
