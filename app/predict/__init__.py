"""Predictions: the class of one bus or of all buses, by the active or a given model."""
