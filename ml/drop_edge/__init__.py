"""P-DropEdge and DropEdge: edge scores and the drawing of edges."""
