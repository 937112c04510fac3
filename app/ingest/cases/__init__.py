"""Built-in cases: pandapower's networks and MATPOWER's case files."""
