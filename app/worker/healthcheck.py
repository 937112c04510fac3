"""``python -m app.worker.healthcheck``: whether a worker of this host lives, for health checks."""

import socket
import sys

from app.jobs.workers import count_slots
from app.settings import Settings
from app.storage.db import Database


def main() -> int:
    """Return 0 if a worker of this host was heard of lately, else 1."""
    settings = Settings()
    database = Database(settings.resolved_database_url)
    with database.reading() as session:
        slots = count_slots(session, socket.gethostname(), settings.lease_seconds)
    database.close()
    return 0 if slots else 1


if __name__ == "__main__":
    sys.exit(main())
