"""Database queries of jobs, their events, workers and idempotency keys."""
