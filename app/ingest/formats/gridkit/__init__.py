"""Reader of GridKit and ENTSO-E CSV files: one file of branches, or a zip."""
