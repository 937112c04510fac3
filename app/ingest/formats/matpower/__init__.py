"""MATPOWER case files: text and binary."""
