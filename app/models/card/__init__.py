"""The model card: figures, headline, caveats."""
