"""Built-in cases: which there are."""
