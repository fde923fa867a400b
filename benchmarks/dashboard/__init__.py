"""How fast the dashboard is."""
