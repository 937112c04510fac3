"""Builds grids: JSON bodies, plain graphs and power tables -> grid, label sets and report."""
