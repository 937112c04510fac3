"""Endpoint for the list of built-in cases."""
