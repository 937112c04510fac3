"""One file per classification method; importing them needs no torch."""
