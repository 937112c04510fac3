"""Predictions: the class of a bus as the active or a named model sees it."""
