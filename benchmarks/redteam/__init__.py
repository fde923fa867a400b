"""Measurements of the red team: the judge against known behaviour, campaigns on the travel desk."""
