"""Formats read by powerio: PSS/E RAW and CGMES."""
