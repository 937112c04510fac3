"""UCTE-DEF files."""
