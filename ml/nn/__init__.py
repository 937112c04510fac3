"""Networks and their layers in torch."""
