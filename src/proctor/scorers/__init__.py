"""Scorers: each turns a trajectory into a score. A scorer reaches a model only through a socket field."""
