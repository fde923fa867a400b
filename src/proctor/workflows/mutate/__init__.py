"""Mutation testing of prompts."""
