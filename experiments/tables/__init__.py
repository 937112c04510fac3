"""One module per table of the reproduction."""
