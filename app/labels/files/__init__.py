"""Label files: reads CSV and JSON, finds the buses of their rows, reports every row left out."""
