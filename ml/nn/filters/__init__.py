"""The torch filter of each Lévy operator."""
