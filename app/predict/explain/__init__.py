"""Explanations of predictions: what known labels, buses and columns contribute."""
