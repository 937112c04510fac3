"""pandapower networks as JSON."""
