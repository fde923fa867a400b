"""Scorers: a trajectory in, a score out. A scorer reaches a model only through a socket field."""
