"""Readers: one file a format; every one ends in the same neutral grid and report."""
