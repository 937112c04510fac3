"""Hand-written operations with their gradients, each beside a plain reference implementation."""
