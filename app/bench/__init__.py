"""What parts of the service cost, one file a question; each has ``run() -> {"rows": [...]}``."""
