"""Training: setup, loop, checkpoints, search, replay and baselines."""
