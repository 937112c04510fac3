"""Sparse rational solver behind the Lévy operators of large graphs."""
