"""Grids: taken in, stored packed, listed, shown, deleted."""
