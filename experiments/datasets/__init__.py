"""Where graphs for the experiments come from, one file a source."""
