"""The confined process that reads uploaded files."""
