"""What things cost, one file a question; each has ``run() -> {"rows": [...]}``."""
