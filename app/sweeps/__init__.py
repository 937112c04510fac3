"""Sweeps: one request that trains many models with varied settings, and their results."""
