"""Reader processes: confined for uploaded files."""
