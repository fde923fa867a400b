"""Promotion of failures and wrong decisions to cases of a suite."""
