"""Two models compared on the same buses."""
