"""Reads grids from built-in cases, JSON bodies and files; the result is always a ReadGrid."""
