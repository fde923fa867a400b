"""What a project looks like that has been in use: simulated traffic, decisions of real gates, rated audits."""
