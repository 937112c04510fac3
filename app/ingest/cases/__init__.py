"""The built-in cases."""
