"""Reader of MATPOWER case files, text and binary."""
