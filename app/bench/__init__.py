"""Benchmarks of the service, one per file; each has ``run() -> {"rows": [...]}``."""
