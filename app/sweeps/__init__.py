"""Sweeps: one request that becomes many training jobs, and what they show together."""
