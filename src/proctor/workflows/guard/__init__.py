"""Unrecorded guard checks, and statistics of the guard's log."""
