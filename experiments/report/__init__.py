"""The pages written from stored results."""
