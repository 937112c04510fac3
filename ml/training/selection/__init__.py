"""Choose, combine and refit classification methods by cross-validation on the known labels."""
