"""``python -m app.worker.healthcheck``: the health check of a worker container."""

import socket
import sys

from app.jobs.workers import count_slots
from app.settings import Settings
from app.storage.db import Database


def main() -> int:
    """Return 0 if a worker on this host has a recent heartbeat, else 1."""
    settings = Settings()
    database = Database(settings.resolved_database_url)
    with database.reading() as session:
        slots = count_slots(session, socket.gethostname(), settings.lease_seconds)
    database.close()
    return 0 if slots else 1


if __name__ == "__main__":
    sys.exit(main())
