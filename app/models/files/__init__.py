"""Model files: download, validation and import."""
