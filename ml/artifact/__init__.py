"""Stored models, read without torch: arrays, manifest, schema."""
