"""Reader of UCTE-DEF files."""
