"""Guards for untrusted XML and zip content, shared by the formats."""
