"""Training: checks a request, queues it as a job, and trains the model in a worker."""
