"""Grids: stored, listed, shown, compared and deleted."""
