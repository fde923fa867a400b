"""Lantern Trails: a seller of tours, its database, its desk agent and its simulated customers."""
