"""Replays: training a stored model again to prove that it is reproducible."""
