"""Baselines that were measured with a model, and their promotion."""
