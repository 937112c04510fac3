"""Lévy operators: one interface, a dense and a sparse implementation, the filter."""
