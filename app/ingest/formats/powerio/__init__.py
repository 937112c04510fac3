"""Readers of PSS/E RAW and CGMES, both with the library powerio."""
