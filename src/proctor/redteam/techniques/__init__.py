"""Techniques of attack, one file per family; each class is registered under ``proctor.attacks``."""
