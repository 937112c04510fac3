"""Graph views, layers and products that several networks share."""
