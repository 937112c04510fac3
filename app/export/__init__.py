"""Grids given back: topology JSON, CSV, GraphML, GeoJSON and pandapower JSON."""
