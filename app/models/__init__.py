"""Models: trained, stored predictors and which of them answers."""
