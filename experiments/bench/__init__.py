"""Benches: one module per measurement, each with ``run() -> {"rows": [...]}``."""
