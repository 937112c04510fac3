"""The graph, its splits, scaling and metrics."""
