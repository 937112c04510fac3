"""Settings of a training run: their types, ranges and descriptions."""
