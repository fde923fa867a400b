"""Suites: read cases from files, select, freeze and compare them."""
