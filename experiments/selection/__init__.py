"""The selection panel: the default of the product against every single method."""
