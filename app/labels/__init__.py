"""Label sets of grids: uploaded, from the catalogue, or computed by jobs; their suitability."""
