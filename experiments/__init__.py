"""Experiments: the tables of the paper, measured again under one protocol for all methods."""
