"""Alerts as messages: one envelope, and a thin shape for each receiver."""
