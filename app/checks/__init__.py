"""Checks of a grid model: small rules of one shape, each with a severity, a reason and advice."""
