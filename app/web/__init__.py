"""The page and the API's documentation for people, on the same REST API as every client."""
