"""Reader of SimBench: a zip of its CSV tables."""
