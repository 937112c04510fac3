"""Training: a checked request becomes a job; a worker makes a model of it."""
