"""Checks on XML and ZIP content before anything parses it."""
