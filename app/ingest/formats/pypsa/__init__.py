"""Reader of PyPSA networks: a zip of the CSV folder, or netCDF."""
