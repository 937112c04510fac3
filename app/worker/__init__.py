"""Worker processes: startup, heartbeat, delivery of job ids, and running one job."""
