"""Export of grids: topology JSON, CSV, GraphML, GeoJSON and pandapower JSON."""
